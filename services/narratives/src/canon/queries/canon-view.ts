import { createHash } from 'node:crypto'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type CanonKind, type CanonReason, foldLabel, LIMITS } from '@iodine/contracts'
import { createSharedReads } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { NarrativeModels } from '../../models.js'
import type { NarrativeDoc, TripletDoc } from '../../narratives/models/narrative.js'
import { createStampedCache } from '../../stamped-cache.js'
import { type CanonMap, createMapReader, groupOf, stampOf } from './canon-map.js'

/** A text, without its words. */
export type TextRef = Pick<NarrativeDoc, '_id' | 'src' | 'created_at'>

/** A label as the user's texts have it. */
export interface SaidLabel {
  key: string
  /** The most frequent spelling; of equally frequent ones the first by code units. */
  label: string
  times: number
  why: CanonReason | null
  turned: boolean
}

/** A cluster with the labels that the user's texts have. */
export interface SaidCluster {
  id: string
  label: string
  /** Most frequent first. */
  labels: SaidLabel[]
  /** The keys, for searches. */
  keys: string
}

export interface Mention {
  text: TextRef
  triplet: TripletDoc
}

export interface SaidNarrative {
  id: string
  subject: SaidCluster
  verb: SaidCluster
  object: SaidCluster
  /** Newest text first. */
  mentions: Mention[]
  sentences: number
  sources: number
  since: Date
  last: Date
}

/** All canonical narratives of a user at one time. */
export interface CanonView {
  /** By reach. */
  narratives: SaidNarrative[]
  byId: Map<string, SaidNarrative>
  triplets: number
}

/** Triplets of all users that a process keeps in views. */
const KEPT = 300_000
const BATCH = 200
/** Narratives counted between two yields to the event loop. */
const SLICE = 10_000
/** A build is not waited for longer before the next one begins. */
const TIMEOUT_MS = 20_000

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The id of a canonical narrative: a hash of its clusters' ids, the same for all users. */
export const narrativeIdOf = (subject: string, verb: string, object: string): string =>
  createHash('sha256').update(`${subject} ${verb} ${object}`).digest('hex').slice(0, 24)

/** What a list is sorted by: a narrative of many sentences in one source has little reach. */
export const reachOf = ({ sentences, sources }: Pick<SaidNarrative, 'sentences' | 'sources'>): number =>
  sentences * Math.max(1, sources)

export const byReach = (a: SaidNarrative, b: SaidNarrative): number =>
  reachOf(b) - reachOf(a) || b.mentions.length - a.mentions.length || compare(a.id, b.id)

/** The sentence of a mention: the same for triplets that one sentence says. Null if it is not found. */
export const sentenceOf = ({ text, triplet: { cite } }: Mention): string | null =>
  cite ? `${text._id.toHexString()} ${cite.start}` : null

interface Counting {
  key: string
  times: number
  spellings: Map<string, number>
}

interface Building {
  counts: Map<string, Counting>
  cluster: SaidCluster
}

/** What is known of a spelling: it is folded once, however often it occurs. */
interface Spelled {
  cluster: SaidCluster
  counted: Counting
  isTurned: boolean
}

const labelOf = (spellings: ReadonlyMap<string, number>): { label: string; times: number } => {
  let best = { label: '', times: 0 }
  for (const [label, times] of spellings)
    if (times > best.times || (times === best.times && label < best.label)) best = { label, times }
  return best
}

const build = async (
  { narratives }: Pick<NarrativeModels, 'narratives'>,
  user_id: Types.ObjectId,
  map: CanonMap,
): Promise<CanonView> => {
  const clusters = { entity: new Map<string, Building>(), verb: new Map<string, Building>() }
  const spelled = { entity: new Map<string, Spelled>(), verb: new Map<string, Spelled>() }
  const spell = (kind: CanonKind, spelling: string): Spelled => {
    const key = foldLabel(spelling)
    const group = groupOf(map, kind, key)
    const building = clusters[kind].get(group.id) ?? {
      counts: new Map<string, Counting>(),
      cluster: { id: group.id, label: '', labels: [], keys: '' },
    }
    clusters[kind].set(group.id, building)
    const counted = building.counts.get(key) ?? { key, times: 0, spellings: new Map<string, number>() }
    building.counts.set(key, counted)
    const { cluster } = building
    const made = { cluster, counted, isTurned: map[kind].get(key)?.turned ?? false }
    spelled[kind].set(spelling, made)
    return made
  }
  const countIn = (kind: CanonKind, spelling: string): Spelled => {
    const found = spelled[kind].get(spelling) ?? spell(kind, spelling)
    const { counted } = found
    counted.times++
    counted.spellings.set(spelling, (counted.spellings.get(spelling) ?? 0) + 1)
    return found
  }

  const found = new Map<string, SaidNarrative>()
  let triplets = 0
  const cursor = narratives.collection
    .find<Pick<NarrativeDoc, '_id' | 'src' | 'created_at' | 'triplets'>>(
      { user_id, state: 'done' } as object,
      {
        projection: { src: 1, created_at: 1, triplets: 1 },
        batchSize: BATCH,
      },
    )
    .sort({ created_at: -1, _id: -1 })
  try {
    for (; triplets < LIMITS.canonTripletsMax && (await cursor.hasNext()); await yieldToEventLoop())
      for (const { triplets: said, ...text } of cursor.readBufferedDocuments()) {
        if (said.length === 0) continue
        triplets += said.length
        for (const triplet of said) {
          const { cluster: verb, isTurned } = countIn('verb', triplet.verb)
          const { cluster: first } = countIn('entity', triplet.subject)
          const { cluster: second } = countIn('entity', triplet.object)
          const [subject, object] = isTurned ? [second, first] : [first, second]
          const id = narrativeIdOf(subject.id, verb.id, object.id)
          const known = found.get(id)
          if (known) known.mentions.push({ text, triplet })
          else {
            const { created_at } = text
            found.set(id, {
              id,
              subject,
              verb,
              object,
              mentions: [{ text, triplet }],
              sentences: 0,
              sources: 0,
              since: created_at,
              last: created_at,
            })
          }
        }
      }
  } finally {
    await cursor.close()
  }

  for (const kind of ['entity', 'verb'] as const)
    for (const { counts, cluster } of clusters[kind].values()) {
      cluster.labels = [...counts.values()]
        .map(({ key, times, spellings }) => ({
          key,
          label: labelOf(spellings).label,
          times,
          why: map[kind].get(key)?.why ?? null,
          turned: map[kind].get(key)?.turned ?? false,
        }))
        .sort((a, b) => b.times - a.times || compare(a.key, b.key))
      const straight = cluster.labels.find(({ turned }) => !turned) ?? cluster.labels[0]
      cluster.label = straight?.label ?? ''
      cluster.keys = cluster.labels.map(({ key }) => key).join('\n')
    }
  let seen = 0
  for (const narrative of found.values()) {
    if (seen++ % SLICE === 0) await yieldToEventLoop()
    const { mentions } = narrative
    narrative.sentences = new Set(mentions.flatMap(mention => sentenceOf(mention) ?? [])).size
    narrative.sources = new Set(mentions.flatMap(({ text }) => text.src ?? [])).size
    narrative.since = mentions.at(-1)?.text.created_at ?? narrative.since
  }
  return { narratives: [...found.values()].sort(byReach), byId: found, triplets }
}

/**
 * Reads all canonical narratives of a user: the triplets of the texts under the map of the clusters, so that a
 * text counts as soon as it is there. Views of the same texts and clusters are made once in a process.
 */
export const createCanonReader = (models: NarrativeModels) => {
  const readMap = createMapReader(models)
  const cache = createStampedCache<CanonView>(KEPT, ({ triplets }) => triplets)
  const reading = createSharedReads<string, CanonView>(TIMEOUT_MS)
  const readView = (user_id: Types.ObjectId): Promise<CanonView> => {
    const name = user_id.toHexString()
    return reading(name, async () => {
      const now = await stampOf(models, user_id)
      const stamp = `${now.version} ${now.texts}`
      const known = cache.get(name, stamp)
      if (known) return known
      // What is read is of this stamp or later: with a later stamp it is read again.
      return cache.put(name, stamp, await build(models, user_id, await readMap(user_id, now)))
    })
  }
  return { readMap, readView }
}
export type CanonReader = ReturnType<typeof createCanonReader>
