import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { DETAILS, LIMITS, rankOfTlp } from '@iodine/contracts'
import { byId, isNotFound, type KindSpec, PEER_BACKOFF_MAX_MS, type StoreService } from '@iodine/service-kit'
import type { Store } from '../models/index.js'
import type { PublicationDoc } from '../models/publication.js'
import {
  type Publishable,
  type PublishableCampaign,
  readPublishable,
  TooManyObjects,
} from '../queries/publishable.js'
import { batchesOf } from './batches.js'
import {
  type Batch,
  isRefused,
  publishBatch,
  ROW,
  type Row,
  Superseded,
  startClock,
} from './publish-batch.js'
import { publishEvent, publishKeptEvents } from './publish-event.js'

/** Time of a step, after which others have their turn. What is left is found anew. */
const STEP_MS = 15_000
/** Delay of a publication while another one of the same creator is at work. */
const BUSY_MS = 1_000
/** Delay before a permanently failed publication is retried. */
const AGAIN_MS = 600_000

interface Publishing extends Pick<StoreService, 'peers' | 'users'> {
  store: Store
}

const BATCH = { items: LIMITS.feedPageMax, size: 2_097_152 }

/** What others refer to comes first. */
const placeOf = ({ type }: Pick<Publishable, 'type'>): number => {
  if (type === 'marking-definition' || type === 'identity' || type === 'extension-definition') return 0
  return ['relationship', 'sighting', 'opinion', 'note', 'grouping', 'report'].includes(type) ? 2 : 1
}

const keyOf = ({ stix_id, source, tlp }: Pick<Row, 'stix_id' | 'source' | 'tlp'>) =>
  `${stix_id} ${source} ${tlp}`

/** What has to be done to rows so that they say what is to be published. Revoked ones go once they have expired. */
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
  const put = wanted.filter(each => !there.has(keyOf(each))).sort((a, b) => placeOf(a) - placeOf(b))
  return { put, replaced, withdrawn, marks }
}

/** The batches that bring a campaign's feed in line. */
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
  // Their newer versions are there already.
  for (const some of batchesOf([...left.values()].flat(), BATCH, ({ bytes }) => bytes))
    yield { put: [], replaced: some, withdrawn: [] }
  for (const some of batchesOf(withdrawn, BATCH, ({ bytes }) => bytes))
    yield { put: [], replaced: [], withdrawn: some }
}

/** Begins a step: null if there is no such publication, `busy` while another one of its user is at work. */
const take = async ({ publications }: Store, id: string): Promise<PublicationDoc | 'busy' | null> => {
  const doc = await publications.findById(id).lean<PublicationDoc>()
  if (!doc) return null
  const others = { user_id: doc.user_id, _id: { $ne: doc._id }, run: { $ne: null } }
  const isBusy = doc.user_id !== null && (await publications.exists(others)) !== null
  // The outbox runs one step of a publication at a time: a former one was killed. Others may wait for it.
  const run = isBusy ? null : randomUUID()
  if (run !== doc.run) await publications.updateOne({ _id: doc._id }, { $set: { run } })
  return isBusy ? 'busy' : { ...doc, run }
}

/** What is to be published of a campaign: nothing if it is to be withdrawn, is gone, or is red. */
const contentOf = async (
  { store, peers, users }: Publishing,
  { _id, wanted }: PublicationDoc,
): Promise<PublishableCampaign | null> =>
  wanted
    ? readPublishable(store, peers, users, _id.toHexString()).catch(error => {
        if (isNotFound(error)) return null
        throw error
      })
    : null

/** Writes what differs, for a while. Resolves to whether nothing is left to do. */
const bringInLine = async (
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
    // Pages are answered meanwhile.
    await setImmediate()
  }
  return true
}

/** Removes a withdrawn publication once all that was revoked of it has expired. */
const endPublication = async (
  { feedEvents, feedEventParts, publications, quotas }: Store,
  { _id, run }: PublicationDoc,
): Promise<void> => {
  const at = { $lt: new Date(Date.now() - LIMITS.revokedMs) }
  const isOver = await quotas.settle(async (session, take) => {
    const over = { _id, run, state: 'withdrawn' as const, rows: { $lte: 0 }, at }
    const gone = await publications.findOneAndDelete(over, { session }).lean<PublicationDoc>()
    if (!gone) return false
    // Its bytes are those of its event.
    await feedEvents.deleteMany({ campaign_id: _id }, { session })
    await take(gone.user_id, { published_bytes: -gone.bytes })
    return true
  })
  if (isOver) await feedEventParts.deleteMany({ campaign_id: _id })
}

/**
 * Does a part of a publication's work: publishes what of the campaign is new or has changed, withdraws what is gone. May be
 * repeated: it compares what is published with what is to be. Resolves as a handler of the outbox does.
 */
const stepPublication = async (publishing: Publishing, campaignId: string): Promise<number | undefined> => {
  const { store } = publishing
  const { publications } = store
  await startClock(store)
  const doc = await take(store, campaignId)
  if (doc === null) return
  if (doc === 'busy') return BUSY_MS
  const { _id, run, asked, wanted } = doc
  const mine = { _id, run }
  try {
    const content = await contentOf(publishing, doc)
    // While it is due, readers of lower levels see nothing of it.
    if (content)
      await publications.updateOne(
        { ...mine, wanted },
        { $set: { state: 'due' }, $max: { tlp: rankOfTlp(content.tlp) } },
      )
    const end = Date.now() + STEP_MS
    const isDone = await bringInLine(store, doc, content?.objects ?? [], end)
    if (!isDone) return 0
    if (doc.state === 'withdrawn') return await endPublication(store, doc).then(() => undefined)
    await publishEvent(store, doc, content?.misp ?? null)
    const areDone = await publishKeptEvents(store, doc, content?.misp.kept ?? [], end)
    if (!areDone) return 0
    const isRed = wanted && content === null
    // What was changed meanwhile has an entry of its own.
    await publications.updateOne(
      { ...mine, asked },
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
    // So has what superseded this step.
    if (error instanceof Superseded) return
    if (!isRefused(error) && !(error instanceof TooManyObjects)) throw error
    const problem =
      error instanceof TooManyObjects ? DETAILS.publishedFull : String((error as { detail: unknown }).detail)
    await publications.updateOne(mine, { $set: { state: 'due', problem } })
    return AGAIN_MS
  } finally {
    await publications.updateOne(mine, { $set: { run: null } })
  }
}

/** Work of the outbox: brings a campaign's feed in line. Its key is the campaign's id. */
export const publicationWork = (of: () => Publishing): KindSpec<{ id: string }> => ({
  ...byId,
  isHeavy: true,
  concurrency: 4,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  handle: ([work]) => stepPublication(of(), work?.id ?? ''),
})
