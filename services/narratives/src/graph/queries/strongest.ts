import { compareText, LIMITS } from '@iodine/contracts'
import { inTransaction } from '@iodine/service-kit'
import type { ClientSession, mongo as driver, Types } from 'mongoose'
import { labelOf } from '../../label-of.js'
import type { NarrativeModels } from '../../models.js'
import { eachCount, type SumDoc, type SummedDoc } from '../models/sum.js'
import { isEntity, presentGraph } from '../presenters/graph-json.js'

type RankedSum = SumDoc & { to: string }

type SourceName = Required<Pick<SumDoc, 'number' | 'name'>>

/** The strongest nodes and links, with all sources and the totals. */
interface Strongest {
  state: SummedDoc
  names: SourceName[]
  nodes: RankedSum[]
  links: RankedSum[]
}

/** Documents per round trip. */
const BATCH = 5_000

const stronger = (a: RankedSum, b: RankedSum): number =>
  b.count - a.count || compareText(a.name, b.name) || (a.to === undefined ? 0 : compareText(a.to, b.to))

/** Decides whether a document is selected (`takes`), and whether no later one can be (`ends`). */
type Selector = (doc: RankedSum) => { takes: boolean; ends: boolean }

/** Returns the first `most` selected documents. Documents with equal `order` are sorted by their full ids. */
const first = async (
  found: driver.FindCursor<RankedSum>,
  most: number,
  take: Selector = () => ({ takes: true, ends: false }),
): Promise<RankedSum[]> => {
  const cursor = found.sort({ count: -1, order: 1 })
  const kept: RankedSum[] = []
  try {
    walk: while (await cursor.hasNext())
      for (const doc of cursor.readBufferedDocuments()) {
        const last = kept[most - 1]
        if (last && (doc.count !== last.count || doc.order !== last.order)) break walk
        const { takes, ends } = take(doc)
        if (takes) kept.push(doc)
        if (ends) break walk
        if (kept.length >= 2 * most + BATCH) kept.sort(stronger).splice(most)
      }
  } finally {
    await cursor.close()
  }
  return kept.sort(stronger).slice(0, most)
}

const present = ({ state, names, nodes, links }: Strongest): AsyncGenerator<string> => {
  names.sort((a, b) => compareText(a.name, b.name))
  const texts = names.map(({ name }) => JSON.stringify(name))
  const ranks = new Map(names.map(({ number }, rank) => [number, rank]))
  const sourcesOf = ({ sources }: SumDoc): string => {
    const list: number[] = []
    eachCount(sources, number => list.push(ranks.get(number) as number))
    return `[${list
      .sort((a, b) => a - b)
      .map(rank => texts[rank])
      .join(',')}]`
  }
  const { entities, verbs } = state
  const totals = { entities, verbs, nodes: entities + verbs, links: state.links }
  const nodeOf = (doc: RankedSum) => {
    const { name, count, texts = [], times = [] } = doc
    const label = labelOf(texts.map((text, n) => [text, times[n] as number]))
    return { id: name, label, count, sources: sourcesOf(doc) }
  }
  const linkOf = (doc: RankedSum) => {
    const { name, to, count } = doc
    return { source: name, target: to, count, sources: sourcesOf(doc) }
  }
  return presentGraph(nodes, nodeOf, links, linkOf, `[${texts.join(',')}]`, totals)
}

/**
 * Reads a user's strongest nodes and the strongest links among them from the sums. The cost is proportional to the
 * limit and the links that rank before the last selected one. Resolves to undefined without sums. The caller runs
 * `foldGraph` before.
 */
export const readStrongest = async (
  { mongo, summed, sums }: Pick<NarrativeModels, 'mongo' | 'summed' | 'sums'>,
  user_id: Types.ObjectId,
  limit: number,
): Promise<AsyncGenerator<string> | undefined> => {
  // One snapshot for all reads: a fold changes nodes, links and totals together.
  const read = async (session: ClientSession): Promise<Strongest | undefined> => {
    const state = await summed.findById(user_id, null, { session }).lean()
    if (!state?.graph) return undefined
    // The driver's cursor returns whole batches.
    const find = <T extends driver.Document>(kind: SumDoc['kind'], projection: Record<string, 0 | 1>) =>
      sums.collection.find<T>({ user_id, graph: state.graph, kind } as object, {
        session,
        projection,
        batchSize: BATCH,
        promoteBuffers: true,
      })
    const ranked = (kind: SumDoc['kind']) => find<RankedSum>(kind, { _id: 0, user_id: 0, graph: 0, kind: 0 })

    const names = await find<SourceName>('source', { _id: 0, number: 1, name: 1 }).toArray()
    const nodes = await first(ranked('node'), limit)

    const shown = new Set(nodes.map(({ name }) => name))
    // The counts of a node's links sum up to its count, for verbs to twice its count. The walk ends once it has seen
    // all links of the shown entities, or all links of the shown verbs.
    const left = { entity: 0, verb: 0 }
    for (const { name, count } of nodes)
      if (isEntity(name)) left.entity += count
      else left.verb += 2 * count
    const links =
      left.entity === 0 || left.verb === 0
        ? []
        : await first(ranked('link'), limit * LIMITS.graphLinksPerNode, ({ name, to, count }) => {
            const [entity, verb] = isEntity(name) ? [name, to] : [to, name]
            const [hasEntity, hasVerb] = [shown.has(entity), shown.has(verb)]
            if (hasEntity) left.entity -= count
            if (hasVerb) left.verb -= count
            return { takes: hasEntity && hasVerb, ends: left.entity === 0 || left.verb === 0 }
          })
    return { state, names, nodes, links }
  }
  const found = await inTransaction(mongo, read)
  return found && present(found)
}
