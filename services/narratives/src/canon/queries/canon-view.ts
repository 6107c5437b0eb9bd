import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type CanonKind, compareText, foldLabel, LIMITS } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { batchesOf } from '../../batches-of.js'
import { labelOf } from '../../label-of.js'
import type { NarrativeModels } from '../../models.js'
import type { NarrativeDoc } from '../../narratives/models/narrative.js'
import { type CanonMap, createMapReader, groupOf } from './canon-map.js'
import { joinNarratives } from './join-narratives.js'
import {
  byReach,
  type ClusterView,
  countMentions,
  type NarrativeView,
  narrativeIdOf,
} from './narrative-view.js'
import { createStampedReads } from './stamped-reads.js'

/** All canonical narratives of a user at one stamp. */
export interface CanonView {
  /** Sorted by reach, descending. */
  narratives: NarrativeView[]
  /** A joined narrative has several ids. */
  byId: Map<string, NarrativeView>
  triplets: number
}

/** Returns a narrative of a view. @throws HttpError 404 for an unknown one */
export const narrativeIn = ({ byId }: CanonView, id: string): NarrativeView => {
  const found = byId.get(id.toLowerCase())
  if (!found) throw notFound()
  return found
}

/** Cache size of a process, in triplets of all users. */
const CACHE_TRIPLETS = 300_000
const BATCH = 200
/** Narratives counted between two yields to the event loop. */
const SLICE = 10_000

interface LabelCount {
  key: string
  times: number
  spellings: Map<string, number>
}

interface ClusterDraft {
  counts: Map<string, LabelCount>
  cluster: ClusterView
}

/** Cached lookup of a spelling, which is folded once for all its occurrences. */
interface SpellingEntry {
  cluster: ClusterView
  counted: LabelCount
  isTurned: boolean
}

/** Creates a counter of the spellings of one kind by cluster. */
const createClusterCounter = (map: CanonMap, kind: CanonKind) => {
  const clusters = new Map<string, ClusterDraft>()
  const spelled = new Map<string, SpellingEntry>()

  const spell = (spelling: string): SpellingEntry => {
    const key = foldLabel(spelling)
    const group = groupOf(map, kind, key)
    const building = clusters.get(group.id) ?? {
      counts: new Map<string, LabelCount>(),
      cluster: { id: group.id, label: '', labels: [], keys: '' },
    }
    clusters.set(group.id, building)
    const counted = building.counts.get(key) ?? { key, times: 0, spellings: new Map<string, number>() }
    building.counts.set(key, counted)
    const { cluster } = building
    const made = { cluster, counted, isTurned: map[kind].get(key)?.turned ?? false }
    spelled.set(spelling, made)
    return made
  }

  return {
    count(spelling: string): SpellingEntry {
      const found = spelled.get(spelling) ?? spell(spelling)
      const { counted } = found
      counted.times++
      counted.spellings.set(spelling, (counted.spellings.get(spelling) ?? 0) + 1)
      return found
    },
    /** Sets the labels of the clusters from the counts. */
    label(): void {
      for (const { counts, cluster } of clusters.values()) {
        cluster.labels = [...counts.values()]
          .map(({ key, times, spellings }) => ({
            key,
            label: labelOf(spellings),
            times,
            why: map[kind].get(key)?.why ?? null,
            turned: map[kind].get(key)?.turned ?? false,
          }))
          .sort((a, b) => b.times - a.times || compareText(a.key, b.key))
        const straight = cluster.labels.find(({ turned }) => !turned) ?? cluster.labels[0]
        cluster.label = straight?.label ?? ''
        cluster.keys = cluster.labels.map(({ key }) => key).join('\n')
      }
    },
  }
}

const build = async (
  { narratives, canonRules }: Pick<NarrativeModels, 'narratives' | 'canonRules'>,
  user_id: Types.ObjectId,
  map: CanonMap,
): Promise<CanonView> => {
  const entities = createClusterCounter(map, 'entity')
  const verbs = createClusterCounter(map, 'verb')
  const found = new Map<string, NarrativeView>()
  let triplets = 0
  // The driver's cursor returns whole batches.
  const cursor = narratives.collection
    .find<Pick<NarrativeDoc, '_id' | 'src' | 'created_at' | 'triplets'>>(
      { user_id, state: 'done' } as object,
      {
        projection: { src: 1, created_at: 1, triplets: 1 },
        batchSize: BATCH,
      },
    )
    .sort({ created_at: -1, _id: -1 })
  for await (const texts of batchesOf(cursor)) {
    for (const { triplets: textTriplets, ...text } of texts) {
      triplets += textTriplets.length
      for (const triplet of textTriplets) {
        const { cluster: verb, isTurned } = verbs.count(triplet.verb)
        const { cluster: first } = entities.count(triplet.subject)
        const { cluster: second } = entities.count(triplet.object)
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
    if (triplets >= LIMITS.canonTripletsMax) break
  }

  entities.label()
  verbs.label()
  let seen = 0
  for (const narrative of found.values()) {
    if (seen++ % SLICE === 0) await yieldToEventLoop()
    countMentions(narrative)
  }
  const pairs = await canonRules.find({ user_id, kind: 'narrative' }, { a: 1, b: 1 }).sort({ _id: 1 }).lean()
  joinNarratives(found, map, pairs)
  return { narratives: [...new Set(found.values())].sort(byReach), byId: found, triplets }
}

/**
 * Creates the reader of users' canonical narratives. A view maps the triplets of the current texts to the stored
 * clusters, so new texts count at once. Views are cached by stamp.
 */
export const createCanonReader = (models: NarrativeModels) => {
  const readMap = createMapReader(models)
  const read = createStampedReads<CanonView>(models, CACHE_TRIPLETS, ({ triplets }) => triplets)
  const readView = (user_id: Types.ObjectId): Promise<CanonView> =>
    read(user_id.toHexString(), user_id, async now => build(models, user_id, await readMap(user_id, now)))
  return { readMap, readView }
}
export type CanonReader = ReturnType<typeof createCanonReader>
