import { type Category, foldText, type IodFacets, type SourceType } from '@iodine/contracts'
import { LRUCache } from 'lru-cache'
import { GramIndex } from './grams.js'

/** An IOD's listed, counted and searched fields. Immutable, but account deletion empties `creator`. */
export interface CatalogEntry {
  /** Hexadecimal. */
  id: string
  /** Milliseconds since 1970. */
  time: number
  category: Category
  source_type: SourceType
  /** A user's id; empty when the account is deleted. */
  creator: string
  /** Folded value and description. */
  text: string
}

/** An absent filter matches all IODs; a filter with several values matches any of them. */
export interface CatalogFilters {
  q?: string | undefined
  category?: Category[] | undefined
  source_type?: SourceType[] | undefined
  /** Ids of users. */
  creators?: string[] | undefined
}

/** Position of an IOD in every list: newest first, then by id. */
export type Place = Pick<CatalogEntry, 'id' | 'time'>

export interface Selection {
  /** Exact counts of the selection. */
  facets(): IodFacets
  /** Ids of up to `size` IODs, newest first, starting after `after` if given. */
  ids(after: Place | undefined, size: number): string[]
}

/** The searched text. NUL, which queries cannot contain, prevents matches across value and description. */
export const searchText = (value: string, description: string): string =>
  `${foldText(value)}\0${foldText(description)}`

/** A combination of category and source type. */
interface Kind {
  category: Category
  source_type: SourceType
  /** Ordinals, oldest first. */
  members: number[]
}

/** Cached matches of a search among the first `upTo` entries. */
interface Found {
  upTo: number
  /** Ordinals, oldest first. */
  matches: number[]
}

const KEPT_SEARCHES = 200
const KEPT_MATCHES = 1_000_000

/**
 * In-memory index of all IODs: sort order, kinds, creators and an n-gram index. IODs are never deleted and
 * their indexed fields never change, except that the creator of a deleted account is removed. So the index
 * only grows and search results stay valid. An IOD of 110 characters takes about 570 bytes.
 */
export class Catalog {
  readonly #known = new Set<string>()
  // Columns of the entries. Ordinals are assigned in the order of insertion.
  readonly #ids: string[] = []
  readonly #times: number[] = []
  readonly #kindOf: number[] = []
  readonly #creators: string[] = []
  readonly #texts: string[] = []
  readonly #all: number[] = []
  readonly #kinds: Kind[] = []
  readonly #kindIndex = new Map<string, number>()
  readonly #byCreator = new Map<string, number[]>()
  readonly #grams = new GramIndex()
  readonly #searches = new LRUCache<string, Found>({
    max: KEPT_SEARCHES,
    maxSize: KEPT_MATCHES,
    sizeCalculation: ({ matches }) => matches.length + 1,
  })

  /** Adds an entry. Idempotent. */
  add({ id, time, category, source_type, creator, text }: CatalogEntry): void {
    if (this.#known.has(id)) return
    this.#known.add(id)
    const ordinal = this.#ids.push(id) - 1
    this.#times.push(time)
    const name = `${category} ${source_type}`
    const index = this.#kindIndex.get(name) ?? this.#kinds.push({ category, source_type, members: [] }) - 1
    this.#kindIndex.set(name, index)
    this.#kindOf.push(index)
    const own = this.#byCreator.get(creator) ?? []
    if (creator !== '') this.#byCreator.set(creator, own)
    this.#creators.push(creator)
    this.#texts.push(text)
    this.#grams.add(ordinal, text)
    for (const list of [this.#all, (this.#kinds[index] as Kind).members, own]) this.#insert(list, ordinal)
  }

  /** Removes a deleted user's id from their entries. */
  forget(creator: string): void {
    for (const ordinal of this.#byCreator.get(creator) ?? []) this.#creators[ordinal] = ''
    this.#byCreator.delete(creator)
  }

  /** Ids of all creators. */
  creators(): Iterable<string> {
    return this.#byCreator.keys()
  }

  select({ q, category, source_type, creators }: CatalogFilters): Selection {
    const ofKind = this.#kinds.map(
      kind =>
        (!category || category.includes(kind.category)) &&
        (!source_type || source_type.includes(kind.source_type)),
    )
    const kinds = this.#kinds.filter((_, index) => ofKind[index])
    const by = creators && new Set(creators)
    const passesAll = kinds.length === this.#kinds.length && !by
    const passesBoth = (ordinal: number) =>
      ofKind[this.#kindOf[ordinal] as number] === true && (!by || by.has(this.#creators[ordinal] as string))
    // Lists that contain the whole selection, and a filter where they contain more.
    const from = (): { lists: number[][]; passes?: (ordinal: number) => boolean } => {
      if (q) return { lists: [this.#search(foldText(q))], ...(!passesAll && { passes: passesBoth }) }
      if (by) return { lists: [...by].flatMap(id => [this.#byCreator.get(id) ?? []]), passes: passesBoth }
      return { lists: passesAll ? [this.#all] : kinds.map(kind => kind.members) }
    }
    const { lists, passes } = from()
    return {
      facets: () => {
        const counts = q || by ? this.#count(lists, passes) : this.#kinds.map(kind => kind.members.length)
        const facets: IodFacets = { total: 0, categories: {}, source_types: {} }
        for (const [index, n] of counts.entries()) {
          if (n === 0 || !ofKind[index]) continue
          const kind = this.#kinds[index] as Kind
          facets.total += n
          facets.categories[kind.category] = (facets.categories[kind.category] ?? 0) + n
          facets.source_types[kind.source_type] = (facets.source_types[kind.source_type] ?? 0) + n
        }
        return facets
      },
      ids: (after, size) => this.#walk(lists, passes, after, size),
    }
  }

  #isOlder(a: number, b: number): boolean {
    const difference = (this.#times[a] as number) - (this.#times[b] as number)
    return difference < 0 || (difference === 0 && (this.#ids[a] as string) < (this.#ids[b] as string))
  }

  /** Searches from the end, as entries arrive nearly in order. */
  #insert(list: number[], ordinal: number): void {
    let at = list.length
    while (at > 0 && this.#isOlder(ordinal, list[at - 1] as number)) at--
    if (at === list.length) list.push(ordinal)
    else list.splice(at, 0, ordinal)
  }

  /** Counts by kind. */
  #count(lists: number[][], passes: ((ordinal: number) => boolean) | undefined): number[] {
    const counts = this.#kinds.map(() => 0)
    for (const list of lists)
      for (const ordinal of list)
        if (!passes || passes(ordinal)) (counts[this.#kindOf[ordinal] as number] as number)++
    return counts
  }

  /** Merges lists from their newest ends. */
  #walk(
    lists: number[][],
    passes: ((ordinal: number) => boolean) | undefined,
    after: Place | undefined,
    size: number,
  ): string[] {
    const heads = lists.map(list => ({ list, at: (after ? this.#older(list, after) : list.length) - 1 }))
    const ids: string[] = []
    while (ids.length < size) {
      let newest: (typeof heads)[number] | undefined
      let ordinal: number | undefined
      for (const head of heads) {
        const next = head.list[head.at]
        if (next === undefined || (ordinal !== undefined && this.#isOlder(next, ordinal))) continue
        newest = head
        ordinal = next
      }
      if (!newest || ordinal === undefined) break
      newest.at--
      if (!passes || passes(ordinal)) ids.push(this.#ids[ordinal] as string)
    }
    return ids
  }

  /** Number of a list's entries that are older than a place. */
  #older(list: number[], place: Place): number {
    let low = 0
    let high = list.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const time = this.#times[list[middle] as number] as number
      const isOlder =
        time < place.time || (time === place.time && (this.#ids[list[middle] as number] as string) < place.id)
      if (isOlder) low = middle + 1
      else high = middle
    }
    return low
  }

  #search(part: string): number[] {
    const found = this.#searches.get(part) ?? { upTo: 0, matches: [] }
    const count = this.#texts.length
    const look = (ordinal: number) => {
      if ((this.#texts[ordinal] as string).includes(part)) this.#insert(found.matches, ordinal)
    }
    const candidates = found.upTo === 0 ? this.#grams.candidates(part) : undefined
    if (candidates) for (const ordinal of candidates) look(ordinal)
    else for (let ordinal = found.upTo; ordinal < count; ordinal++) look(ordinal)
    // A new object, as the cache measures the size only of new values.
    this.#searches.set(part, { upTo: count, matches: found.matches })
    return found.matches
  }
}
