import type { Category, IodFacets, SourceType } from '@iodine/contracts'
import type { QueryFilter } from 'mongoose'
import { BY_DATE, type IodModel, type TextDoc, type TextModel } from '../models/iod.js'

/** Nothing is created with a time further back than this. */
const SETTLE_MS = 30_000
const ADVANCE_MS = 60_000
const REBUILD_MS = 3_600_000

interface Group {
  category: Category
  source_type: SourceType
  total: number
  /** Counts by creator's id. */
  users: Map<string, number>
}
type Groups = Map<string, Group>

const add = (groups: Groups, more: Groups): void => {
  for (const [key, group] of more) {
    const known = groups.get(key)
    if (!known) {
      groups.set(key, { ...group, users: new Map(group.users) })
      continue
    }
    known.total += group.total
    for (const [user, n] of group.users) known.users.set(user, (known.users.get(user) ?? 0) + n)
  }
}

interface Settled {
  groups: Groups
  until: Date
  builtAt: number
}

/**
 * Counts of the IODs that match a filter, kept rather than scanned: IODs are never changed in what is counted nor
 * deleted, so all counts before a moment stand for good, and a read only counts what came after. Each process keeps
 * its own; an hourly recount, in the background, covers clocks that disagree.
 */
export class RollingCounts {
  readonly #model: Pick<IodModel | TextModel, 'aggregate'>
  readonly #match: QueryFilter<TextDoc>
  #settled: Settled | undefined
  #building: Promise<Settled> | undefined

  constructor(model: Pick<IodModel | TextModel, 'aggregate'>, match: QueryFilter<TextDoc>) {
    this.#model = model
    this.#match = match
  }

  /** Exact counts by category, source type and creator, in two parts to be added. */
  async groups(): Promise<Groups[]> {
    let settled = this.#settled ?? (await this.#build())
    if (Date.now() - settled.builtAt > REBUILD_MS) this.#build().catch(() => {})
    const border = new Date(Date.now() - SETTLE_MS)
    if (border.getTime() - settled.until.getTime() > ADVANCE_MS) {
      const groups: Groups = new Map()
      add(groups, settled.groups)
      add(groups, await this.#count({ $gte: settled.until, $lt: border }))
      settled = { ...settled, groups, until: border }
      this.#settled = settled
    }
    return [settled.groups, await this.#count({ $gte: settled.until })]
  }

  #build(): Promise<Settled> {
    this.#building ??= (async () => {
      const until = new Date(Date.now() - SETTLE_MS)
      const groups = await this.#count({ $lt: until })
      this.#settled = { groups, until, builtAt: Date.now() }
      return this.#settled
    })().finally(() => {
      this.#building = undefined
    })
    return this.#building
  }

  async #count(created_at: { $gte?: Date; $lt?: Date }): Promise<Groups> {
    const aggregate = this.#model.aggregate<{
      _id: { category: Category; source_type: SourceType; created_by: { toHexString(): string } }
      n: number
    }>([
      { $match: { ...this.#match, created_at } },
      {
        $group: {
          _id: { category: '$category', source_type: '$source_type', created_by: '$created_by' },
          n: { $sum: 1 },
        },
      },
    ])
    // What is recent is little, whatever else it must match.
    const rows = await (created_at.$gte ? aggregate.hint(BY_DATE) : aggregate)
    const groups: Groups = new Map()
    for (const { _id, n } of rows) {
      const users = new Map([[_id.created_by.toHexString(), n]])
      const group = { category: _id.category, source_type: _id.source_type, total: n, users }
      add(groups, new Map([[`${_id.category} ${_id.source_type}`, group]]))
    }
    return groups
  }
}

/** Facets of the groups that pass the filters; absent filters pass all. */
export const sumFacets = (
  parts: Groups[],
  filters: {
    category?: Category[] | undefined
    source_type?: SourceType[] | undefined
    users?: string[] | undefined
  },
): IodFacets => {
  const facets: IodFacets = { total: 0, categories: {}, source_types: {} }
  const users = filters.users && new Set(filters.users)
  for (const { category, source_type, total, users: byUser } of parts.flatMap(part => [...part.values()])) {
    if (filters.category && !filters.category.includes(category)) continue
    if (filters.source_type && !filters.source_type.includes(source_type)) continue
    let n = total
    if (users) {
      n = 0
      for (const user of users) n += byUser.get(user) ?? 0
    }
    if (n === 0) continue
    facets.total += n
    facets.categories[category] = (facets.categories[category] ?? 0) + n
    facets.source_types[source_type] = (facets.source_types[source_type] ?? 0) + n
  }
  return facets
}
