import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { DETAILS, LIMITS, rankOfTlp } from '@iodine/contracts'
import { byId, ifFound, type KindSpec, PEER_BACKOFF_MAX_MS, type StoreService } from '@iodine/service-kit'
import { batchesOf } from '../../batches.js'
import type { Store } from '../../models.js'
import type { PublicationDoc } from '../models/publication.js'
import {
  type Publishable,
  type PublishableCampaign,
  readPublishable,
  TooManyObjects,
} from '../queries/publishable.js'
import {
  type Batch,
  isQuotaError,
  publishBatch,
  ROW,
  type Row,
  Superseded,
  startClock,
} from './publish-batch.js'
import { publishEvent, publishKeptEvents } from './publish-event.js'

/** Maximum duration of a step. The next one, behind other publications, compares again. */
const STEP_MS = 15_000
/** Delay of a publication while another one of the same creator is in progress. */
const BUSY_MS = 1_000
/** Delay before a permanently failed publication is retried. */
const RETRY_MS = 600_000

interface PublicationContext extends Pick<StoreService, 'peers' | 'users'> {
  store: Store
}

const BATCH = { items: LIMITS.feedPageMax, size: 2_097_152 }

/** Returns the rank in the order of publication: objects that others refer to come first. */
const rankOf = ({ type }: Pick<Publishable, 'type'>): number => {
  if (type === 'marking-definition' || type === 'identity' || type === 'extension-definition') return 0
  return ['relationship', 'sighting', 'opinion', 'note', 'grouping', 'report'].includes(type) ? 2 : 1
}

const keyOf = ({ stix_id, source, tlp }: Pick<Row, 'stix_id' | 'source' | 'tlp'>) =>
  `${stix_id} ${source} ${tlp}`

/** Returns the changes from the published rows to the wanted objects. Expired revoked rows are removed. */
const differences = (rows: readonly Row[], wanted: readonly Publishable[]) => {
  const expired = Date.now() - LIMITS.revokedMs
  const wantedKeys = new Map(wanted.map(each => [keyOf(each), each]))
  const wantedIds = new Set(wanted.map(({ stix_id }) => stix_id))
  const there = new Set<string>()
  const replaced = new Map<string, Row[]>()
  const withdrawn: Row[] = []
  const marks: { _id: Row['_id']; last: boolean; first: boolean }[] = []
  for (const row of rows) {
    const found = row.revoked ? undefined : wantedKeys.get(keyOf(row))
    if (found) {
      there.add(keyOf(row))
      const { last, first } = found
      if (last !== row.last || first !== row.first) marks.push({ _id: row._id, last, first })
    } else if (wantedIds.has(row.stix_id) || (row.revoked && row.added.getTime() < expired)) {
      replaced.set(row.stix_id, [...(replaced.get(row.stix_id) ?? []), row])
    } else if (!row.revoked) withdrawn.push(row)
  }
  const put = wanted.filter(each => !there.has(keyOf(each))).sort((a, b) => rankOf(a) - rankOf(b))
  return { put, replaced, withdrawn, marks }
}

/** Yields the batches that apply the differences to a campaign's feed. */
function* plan({ put, replaced, withdrawn }: ReturnType<typeof differences>): Generator<Batch> {
  const left = new Map(replaced)
  const replacedBy = (some: readonly Publishable[]) =>
    some.flatMap(({ stix_id }) => {
      const rows = left.get(stix_id) ?? []
      left.delete(stix_id)
      return rows
    })
  for (const some of batchesOf(put, BATCH, ({ bytes }) => bytes))
    yield { put: some, replaced: replacedBy(some), withdrawn: [] }
  // Their newer versions are published already.
  for (const some of batchesOf([...left.values()].flat(), BATCH, ({ bytes }) => bytes))
    yield { put: [], replaced: some, withdrawn: [] }
  for (const some of batchesOf(withdrawn, BATCH, ({ bytes }) => bytes))
    yield { put: [], replaced: [], withdrawn: some }
}

/** Claims a publication for a step. Returns null if there is none, `busy` while another one of its user is running. */
const claimPublication = async (
  { publications }: Store,
  id: string,
): Promise<PublicationDoc | 'busy' | null> => {
  const doc = await publications.findById(id).lean<PublicationDoc>()
  if (!doc) return null
  const others = { user_id: doc.user_id, _id: { $ne: doc._id }, run: { $ne: null } }
  const isBusy = doc.user_id !== null && (await publications.exists(others)) !== null
  // This replaces the `run` of a killed step, which would block the user's other publications. No other step of this
  // publication is in progress.
  const run = isBusy ? null : randomUUID()
  if (run !== doc.run) await publications.updateOne({ _id: doc._id }, { $set: { run } })
  return isBusy ? 'busy' : { ...doc, run }
}

/** Returns the content to publish; null for a campaign that is to be withdrawn, is deleted, or is TLP:RED. */
const contentOf = async (
  { store, peers, users }: PublicationContext,
  { _id, wanted }: PublicationDoc,
): Promise<PublishableCampaign | null> =>
  wanted ? ((await ifFound(readPublishable(store, peers, users, _id.toHexString()))) ?? null) : null

/** Publishes the differences until `end`. Resolves to whether all are published. */
const publishDifferences = async (
  store: Store,
  doc: PublicationDoc,
  objects: readonly Publishable[],
  end: number,
): Promise<boolean> => {
  const { published } = store
  const rows = await published.find({ campaign_id: doc._id }, ROW).lean<Row[]>()
  const found = differences(rows, objects)
  const updates = found.marks.map(({ _id, ...$set }) => ({
    updateOne: { filter: { _id }, update: { $set } },
  }))
  if (updates.length > 0) await published.bulkWrite(updates)
  for (const batch of plan(found)) {
    await publishBatch(store, doc, batch)
    if (Date.now() > end) return false
    // Lets requests for pages run.
    await setImmediate()
  }
  return true
}

/** Removes a withdrawn publication once all its revoked rows have expired. */
const endPublication = async (
  { feedEvents, feedEventParts, publications, quotas }: Store,
  { _id, run }: PublicationDoc,
): Promise<void> => {
  const at = { $lt: new Date(Date.now() - LIMITS.revokedMs) }
  const isOver = await quotas.settle(async (session, take) => {
    const over = { _id, run, state: 'withdrawn' as const, rows: { $lte: 0 }, at }
    const gone = await publications.findOneAndDelete(over, { session }).lean<PublicationDoc>()
    if (!gone) return false
    // Its remaining bytes are those of its event file.
    await feedEvents.deleteMany({ campaign_id: _id }, { session })
    await take(gone.user_id, { published_bytes: -gone.bytes })
    return true
  })
  if (isOver) await feedEventParts.deleteMany({ campaign_id: _id })
}

/**
 * Runs one step of a publication: publishes new and changed objects, and withdraws removed ones. Idempotent, as it
 * compares the published rows with the campaign. Resolves to the result of the outbox handler.
 */
const stepPublication = async (
  context: PublicationContext,
  campaignId: string,
): Promise<number | undefined> => {
  const { store } = context
  const { publications } = store
  await startClock(store)
  const doc = await claimPublication(store, campaignId)
  if (doc === null) return
  if (doc === 'busy') return BUSY_MS
  const { _id, run, asked, wanted } = doc
  const claimed = { _id, run }
  try {
    const content = await contentOf(context, doc)
    // While it is due, readers of lower levels see nothing of it.
    if (content)
      await publications.updateOne(
        { ...claimed, wanted },
        { $set: { state: 'due' }, $max: { tlp: rankOfTlp(content.tlp) } },
      )
    const end = Date.now() + STEP_MS
    const isDone = await publishDifferences(store, doc, content?.objects ?? [], end)
    if (!isDone) return 0
    if (doc.state === 'withdrawn') return await endPublication(store, doc).then(() => undefined)
    await publishEvent(store, doc, content?.misp ?? null)
    const areDone = await publishKeptEvents(store, doc, content?.misp.kept ?? [], end)
    if (!areDone) return 0
    const isRed = wanted && content === null
    // A concurrent change raises `asked` and has another outbox entry.
    await publications.updateOne(
      { ...claimed, asked },
      {
        $set: {
          state: wanted ? 'published' : 'withdrawn',
          title: content?.title ?? '',
          ...(content && { tlp: rankOfTlp(content.tlp) }),
          at: new Date(),
          problem: isRed ? DETAILS.publishedRed : null,
        },
      },
    )
  } catch (error) {
    // The change or the step that superseded this one has another outbox entry.
    if (error instanceof Superseded) return
    if (!isQuotaError(error) && !(error instanceof TooManyObjects)) throw error
    const problem =
      error instanceof TooManyObjects ? DETAILS.publishedFull : String((error as { detail: unknown }).detail)
    await publications.updateOne(claimed, { $set: { state: 'due', problem } })
    return RETRY_MS
  } finally {
    await publications.updateOne(claimed, { $set: { run: null } })
  }
}

/** Returns the outbox kind that updates a campaign's feed. Its key is the campaign's id. */
export const publicationWork = (of: () => PublicationContext): KindSpec<{ id: string }> => ({
  ...byId,
  isHeavy: true,
  concurrency: 4,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  handle: ([work]) => stepPublication(of(), work?.id ?? ''),
})
