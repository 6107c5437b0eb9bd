import { forbidden, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { CHANGED } from '../models/campaign.js'
import { type ImportDoc, STEP_MS } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { importNotPlanned } from '../queries/find-import.js'

/** Objects that are deleted by one command. */
const BATCH = 2_000
/** Time of a repair for removals. The next one goes on. */
const REPAIR_MS = 1_000

/**
 * Removes a part of what came by an import but IODs, and at the end the import itself. May be repeated.
 * @returns whether the import is gone
 */
const removeSome = async (
  { campaigns, imports, importParts, foreign, brought, quotas }: CampaignModels,
  { _id, campaign_id, user_id, batch }: ImportDoc,
): Promise<boolean> => {
  const some = await foreign
    .find({ campaign_id, import_id: _id }, { _id: 1 })
    .limit(BATCH)
    .lean<{ _id: Types.ObjectId }[]>()
  if (some.length > 0) await foreign.deleteMany({ _id: { $in: some.map(each => each._id) } })
  if (some.length === BATCH) return false
  await importParts.deleteMany({ import_id: { $in: [_id, ...(batch ? [batch] : [])] } })
  await brought.deleteMany({ import_id: _id })
  await quotas.settle(async (session, take) => {
    const gone = await imports.findOneAndDelete({ _id }, { session }).lean<ImportDoc>()
    if (gone) await take(user_id, { import_bytes: -gone.bytes })
  })
  await campaigns.updateOne({ _id: campaign_id }, CHANGED)
  return true
}

/** Marks imports for removal, once what is being done to them has ended. */
export const toBeRemoved = () =>
  ({ $set: { state: 'removing', check_at: new Date(Date.now() + STEP_MS) } }) as const

/**
 * Discards a plan, or removes what came by an import; its IODs stay.
 * @returns the import as it was
 * @throws 404, 403 unless the user has imported it or created the campaign, 409 while it is being applied
 */
export const removeImport = async (
  models: CampaignModels,
  userId: string,
  id: string,
): Promise<ImportDoc> => {
  const doc = await models.imports.findOne({ _id: id, state: { $ne: 'removing' } }).lean<ImportDoc>()
  if (!doc) throw notFound()
  if (!doc.user_id?.equals(userId)) {
    // Plans of others are nobody else's.
    if (!['applying', 'done', 'failed'].includes(doc.state)) throw notFound()
    const mine = { _id: doc.campaign_id, created_by: new Types.ObjectId(userId) }
    if (!(await models.campaigns.exists(mine))) throw forbidden()
  }
  // Not while it is applied, nor if that has begun since.
  const { matchedCount } = await models.imports.updateOne(
    { _id: doc._id, state: { $eq: doc.state, $ne: 'applying' } },
    toBeRemoved(),
  )
  if (matchedCount === 0) throw importNotPlanned()
  while (!(await removeSome(models, doc)));
  return doc
}

/**
 * Removes imports that are marked for it, as their campaign or user is gone, whose file never came in whole, or whose plan
 * has waited for too long.
 * @returns the number of those that are gone
 */
export const removeForgotten = async (models: CampaignModels): Promise<number> => {
  const past = { $lt: new Date() }
  const left = await models.imports
    .find({
      $or: [
        { state: { $in: ['receiving', 'removing'] }, check_at: past },
        { state: { $in: ['planned', 'failed', 'done'] }, subscription_id: null, expires_at: past },
      ],
    })
    .limit(BATCH)
    .lean<ImportDoc[]>()
  const end = Date.now() + REPAIR_MS
  let gone = 0
  for (const doc of left) {
    await models.imports.updateOne({ _id: doc._id }, { $set: { state: 'removing' } })
    while (!(await removeSome(models, doc))) if (Date.now() > end) return gone
    gone++
    if (Date.now() > end) return gone
  }
  return gone
}
