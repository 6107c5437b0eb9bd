import { DETAILS, LIMITS } from '@iodine/contracts'
import { HttpError, inTransaction, notFound } from '@iodine/service-kit'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import type { Store } from '../../models.js'
import { actorOf, type ImportDoc } from '../models/import.js'
import { PRESENTED_FIELDS } from '../presenters/import.js'
import { findImport, importNotPlanned } from '../queries/find-import.js'
import { countOfKept, sumKept } from '../queries/kept-objects.js'

/**
 * Enqueues the application of a planned import, or continues one that stopped. From then on the campaign's level is at
 * least the file's.
 * @throws 404, 409 unless the import is planned or has stopped, 413 if the campaign has no room for its objects
 */
export const applyImport = async (
  store: Store,
  userId: string,
  id: string,
  makes_iods: boolean,
): Promise<ImportDoc> =>
  beginApplying(
    store,
    await findImport(store.imports, userId, id, '+events', ...PRESENTED_FIELDS),
    makes_iods,
  )

/** Like `applyImport`, without a check of the user. */
export const beginApplying = async (
  store: Store,
  doc: ImportDoc,
  makes_iods: boolean,
): Promise<ImportDoc> => {
  const { mongo, work, imports, subscriptions } = store
  const { _id, campaign_id, state } = doc
  if (state !== 'planned' && state !== 'failed') throw importNotPlanned()
  const applying = {
    state: 'applying',
    problem: null,
    makes_iods,
    expires_at: null,
  } as const
  await inTransaction(mongo, async session => {
    // Writing the campaign first serializes imports into it.
    if (!(await changeCampaign(store, actorOf(doc), { _id: campaign_id }, {}, session))) throw notFound()
    const kept = await sumKept(imports, campaign_id, { except: _id, session })
    const types = [...kept.types, ...(doc.kept?.types ?? [])]
    const events = types.reduce((sum, { type, objects }) => (type === 'event' ? sum + objects : sum), 0)
    const fresh = (doc.subscription_id ? doc.new_events : doc.events) ?? []
    if (
      kept.imports >= LIMITS.campaignImportsMax ||
      // `doc.kept` are the objects of a subscription's earlier runs. `doc.bytes` includes theirs.
      kept.objects + countOfKept(doc.kept) + doc.objects > LIMITS.keptObjectsMax ||
      kept.bytes + doc.bytes > LIMITS.keptBytes ||
      events + fresh.length > LIMITS.keptEventsMax
    )
      throw new HttpError(413, DETAILS.keptObjectsFull)
    const started = await imports.updateOne({ _id, state }, { $set: applying }, { session })
    if (started.matchedCount === 0) throw importNotPlanned()
    if (doc.subscription_id)
      await subscriptions.updateOne(
        { import_id: _id, state: 'stopped' },
        { $set: { state: 'importing' } },
        { session },
      )
    await work.imports.add({ id: _id.toHexString() }, { session })
  })
  return { ...doc, ...applying }
}
