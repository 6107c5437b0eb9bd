import { DETAILS, LIMITS } from '@iodine/contracts'
import { HttpError, notFound } from '@iodine/service-kit'
import type { ImportDoc } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { USUAL_RANK } from '../policies/levels.js'
import { findImport, importNotPlanned } from '../queries/find-import.js'
import { sumKept } from '../queries/kept-objects.js'
import { FIRST_MS } from './receive-import.js'

/**
 * Has a planned import carried out, or one that stopped go on. The campaign's level is raised to the file's first, so
 * that nothing of it ever leaves under a lower one.
 * @throws 404, 409 unless the import is planned or has stopped, 413 if the campaign has no room for its objects
 */
export const applyImport = async (
  { campaigns, imports }: CampaignModels,
  userId: string,
  id: string,
  makesIods: boolean,
): Promise<ImportDoc> => {
  const doc = await findImport(imports, userId, id)
  if (doc.state !== 'planned' && doc.state !== 'failed') throw importNotPlanned()
  const kept = await sumKept(imports, doc.campaign_id)
  if (
    kept.imports >= LIMITS.campaignImportsMax ||
    kept.objects + doc.objects > LIMITS.keptObjectsMax ||
    kept.bytes + doc.bytes > LIMITS.keptBytes
  )
    throw new HttpError(413, DETAILS.keptObjectsFull)
  const least = doc.tlp ?? 0
  const { matchedCount } = await campaigns.updateOne(
    { _id: doc.campaign_id },
    [
      {
        $set: {
          changed_at: '$$NOW',
          tlp: { $max: [{ $ifNull: ['$tlp', USUAL_RANK] }, least] },
          tlp_least: { $max: [{ $ifNull: ['$tlp_least', 0] }, least] },
        },
      },
    ],
    { updatePipeline: true },
  )
  if (matchedCount === 0) throw notFound()
  const applying = await imports
    .findOneAndUpdate(
      { _id: doc._id, state: doc.state },
      {
        $set: {
          state: 'applying',
          problem: null,
          makes_iods: makesIods,
          check_at: new Date(Date.now() + FIRST_MS),
          expires_at: null,
        },
      },
      { returnDocument: 'after' },
    )
    .lean<ImportDoc>()
  if (!applying) throw importNotPlanned()
  return applying
}
