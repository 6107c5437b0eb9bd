import { forbidden, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { CHANGED } from '../models/campaign.js'
import { type ImportDoc, STEP_MS } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { importNotPlanned } from '../queries/find-import.js'

/** Objects that are deleted by one command. */
const BATCH = 5_000
/** Imports that one repair removes. */
const REPAIRED = 20

/** Removes an import with all that came by it but IODs. May be repeated: the import itself goes last. */
const removeAll = async (
  { campaigns, imports, importParts, foreign, quotas }: CampaignModels,
  { _id, campaign_id, user_id }: ImportDoc,
): Promise<void> => {
  await imports.updateOne({ _id }, { $set: { state: 'removing', check_at: new Date() } })
  await importParts.deleteMany({ import_id: _id })
  const ofImport = { campaign_id, import_id: _id }
  let some: { _id: Types.ObjectId }[]
  do {
    some = await foreign.find(ofImport, { _id: 1 }).limit(BATCH).lean<{ _id: Types.ObjectId }[]>()
    if (some.length > 0) await foreign.deleteMany({ _id: { $in: some.map(each => each._id) } })
  } while (some.length === BATCH)
  await campaigns.updateOne({ _id: campaign_id }, CHANGED)
  await quotas.settle(async (session, take) => {
    const gone = await imports.findOneAndDelete({ _id }, { session }).lean<ImportDoc>()
    if (gone) await take(user_id, { import_bytes: -gone.bytes })
  })
}

/**
 * Discards a plan, or removes what came by an import; its IODs stay.
 * @throws 404, 403 unless the user has imported it or created the campaign, 409 while it is being applied
 */
export const removeImport = async (models: CampaignModels, userId: string, id: string): Promise<void> => {
  const doc = await models.imports.findOne({ _id: id, state: { $ne: 'removing' } }).lean<ImportDoc>()
  if (!doc) throw notFound()
  if (!doc.user_id?.equals(userId)) {
    // Plans of others are nobody else's.
    if (!['applying', 'done', 'failed'].includes(doc.state)) throw notFound()
    const mine = { _id: doc.campaign_id, created_by: new Types.ObjectId(userId) }
    if (!(await models.campaigns.exists(mine))) throw forbidden()
  }
  if (doc.state === 'applying') throw importNotPlanned()
  await removeAll(models, doc)
}

/**
 * Removes imports that are marked for it, as their campaign or user is gone, whose file never came in whole, or whose plan
 * has waited for too long.
 * @returns their number
 */
export const removeForgotten = async (models: CampaignModels): Promise<number> => {
  const past = { $lt: new Date() }
  const left = await models.imports
    .find({
      $or: [
        { state: { $in: ['receiving', 'removing'] }, check_at: past },
        { state: { $in: ['planned', 'failed'] }, expires_at: past },
      ],
    })
    .limit(REPAIRED)
    .lean<ImportDoc[]>()
  for (const doc of left) await removeAll(models, doc)
  return left.length
}

/** Marks imports for removal, once what is being done to them has ended. */
export const toBeRemoved = () => ({
  $set: { state: 'removing' as const, check_at: new Date(Date.now() + STEP_MS) },
})
