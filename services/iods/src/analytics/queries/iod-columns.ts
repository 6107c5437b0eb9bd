import { CATEGORIES, type Category, SOURCE_TYPES, type SourceType } from '@iodine/contracts'
import type { Types } from 'mongoose'
import { agreementOf, thirdVoteOf } from '../../iods/policies/agreement.js'
import { KeyFilter } from './key-filter.js'

/** The fields of an IOD that analyses read. */
export interface AnalyzedIod {
  _id: Types.ObjectId
  created_at: Date
  category: Category
  source_type: SourceType
  created_by: Types.ObjectId | null
  votes_total: number
  votes_disputed: number
  third_vote?: Date | null
  terms?: string[]
  fold_key: string
}

const ID_BYTES = 12
export const KINDS = CATEGORIES.length * SOURCE_TYPES.length

/** Returns the number of a kind, below `KINDS`. */
export const kindOf = (category: Category, source: SourceType): number =>
  CATEGORIES.indexOf(category) * SOURCE_TYPES.length + SOURCE_TYPES.indexOf(source)

/** Interns texts as numbers from 1. */
class Names {
  readonly #numbers = new Map<string, number>()
  readonly list = ['']
  of(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.list.length)
    return this.list.push(name) - 1
  }
  find(name: string): number | undefined {
    return this.#numbers.get(name)
  }
}

/** IODs in memory, in the order of creation, then of their ids: about 44 bytes an IOD, their terms, and 4 MiB. */
export class IodColumns {
  #size = 0
  #version = 0
  #times = new Float64Array(0)
  #ids = new Uint8Array(0)
  #kinds = new Uint8Array(0)
  #creators = new Uint32Array(0)
  #votes = new Uint32Array(0)
  #disputed = new Uint32Array(0)
  #thirds = new Uint8Array(0)
  #agreements = new Uint8Array(0)
  /** Position of an IOD's terms in `#pool`, which begins with their number; 0 for none. */
  #terms = new Uint32Array(0)
  #pool = new Uint32Array(1_024)
  #poolSize = 1
  readonly #users = new Names()
  readonly #names = new Names()
  /** Lookup keys of the IODs. */
  readonly keys = new KeyFilter()

  get size(): number {
    return this.#size
  }
  /** Number of changes so far. */
  get version(): number {
    return this.#version
  }
  /** Terms by their numbers; the first is empty. */
  get names(): readonly string[] {
    return this.#names.list
  }
  /** Number of a user; undefined if no IOD is the user's. */
  userOf(id: string): number | undefined {
    return this.#users.find(id)
  }
  kindAt(row: number): number {
    return this.#kinds[row] as number
  }
  creatorAt(row: number): number {
    return this.#creators[row] as number
  }
  timeAt(row: number): number {
    return this.#times[row] as number
  }
  votesAt(row: number): number {
    return this.#votes[row] as number
  }
  disputedAt(row: number): number {
    return this.#disputed[row] as number
  }
  agreementAt(row: number): number {
    return this.#agreements[row] as number
  }
  thirdVoteAt(row: number): number {
    return this.#thirds[row] as number
  }
  idAt(row: number): string {
    return Buffer.from(this.#ids.buffer, row * ID_BYTES, ID_BYTES).toString('hex')
  }
  /** Numbers of an IOD's terms. */
  termsAt(row: number): Uint32Array {
    const at = this.#terms[row] as number
    return at === 0
      ? this.#pool.subarray(0, 0)
      : this.#pool.subarray(at + 1, at + 1 + (this.#pool[at] as number))
  }

  /** Returns the number of IODs created before a time, with a smaller id at that time. */
  rowOf(time: number, id?: Uint8Array): number {
    let [from, to] = [0, this.#size]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (this.#compare(middle, time, id) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  /** Returns the row of an IOD; undefined for an unknown one. */
  find({ _id, created_at }: Pick<AnalyzedIod, '_id' | 'created_at'>): number | undefined {
    const row = this.rowOf(created_at.getTime(), _id.id)
    return row < this.#size && this.#compare(row, created_at.getTime(), _id.id) === 0 ? row : undefined
  }

  /** Inserts new IODs and replaces the votes and creators of known ones. */
  put(iods: readonly AnalyzedIod[]): void {
    for (const iod of iods) {
      const row = this.rowOf(iod.created_at.getTime(), iod._id.id)
      const isKnown = row < this.#size && this.#compare(row, iod.created_at.getTime(), iod._id.id) === 0
      if (!isKnown) this.#insert(row, iod)
      this.keys.add(iod.fold_key)
      const creator = iod.created_by ? this.#users.of(iod.created_by.toHexString()) : 0
      const { votes_total, votes_disputed } = iod
      if (
        isKnown &&
        this.#creators[row] === creator &&
        this.#votes[row] === votes_total &&
        this.#disputed[row] === votes_disputed
      )
        continue
      this.#version++
      this.#creators[row] = creator
      this.#votes[row] = votes_total
      this.#disputed[row] = votes_disputed
      this.#agreements[row] = agreementOf(votes_total, votes_disputed)
      this.#thirds[row] = thirdVoteOf(iod.created_at, iod.third_vote)
    }
  }

  #compare(row: number, time: number, id: Uint8Array | undefined): number {
    const difference = (this.#times[row] as number) - time
    if (difference !== 0 || !id) return difference
    for (let n = 0; n < ID_BYTES; n++) {
      const byte = (this.#ids[row * ID_BYTES + n] as number) - (id[n] as number)
      if (byte !== 0) return byte
    }
    return 0
  }

  #insert(row: number, { _id, created_at, category, source_type, terms = [] }: AnalyzedIod): void {
    this.#reserve()
    for (const column of [
      this.#times,
      this.#kinds,
      this.#creators,
      this.#votes,
      this.#disputed,
      this.#thirds,
      this.#agreements,
      this.#terms,
    ])
      if (row < this.#size) column.copyWithin(row + 1, row, this.#size)
    if (row < this.#size) this.#ids.copyWithin((row + 1) * ID_BYTES, row * ID_BYTES, this.#size * ID_BYTES)
    this.#size++
    this.#times[row] = created_at.getTime()
    this.#ids.set(_id.id, row * ID_BYTES)
    this.#kinds[row] = kindOf(category, source_type)
    this.#terms[row] = this.#store(terms)
  }

  #store(terms: readonly string[]): number {
    if (terms.length === 0) return 0
    const at = this.#poolSize
    this.#poolSize += terms.length + 1
    if (this.#poolSize > this.#pool.length) this.#pool = grown(this.#pool, this.#poolSize)
    this.#pool[at] = terms.length
    for (const [n, term] of terms.entries()) this.#pool[at + 1 + n] = this.#names.of(term)
    return at
  }

  #reserve(): void {
    if (this.#size < this.#times.length) return
    const size = this.#size + 1
    this.#times = grown(this.#times, size)
    this.#kinds = grown(this.#kinds, size)
    this.#creators = grown(this.#creators, size)
    this.#votes = grown(this.#votes, size)
    this.#disputed = grown(this.#disputed, size)
    this.#thirds = grown(this.#thirds, size)
    this.#agreements = grown(this.#agreements, size)
    this.#terms = grown(this.#terms, size)
    this.#ids = grown(this.#ids, this.#times.length * ID_BYTES)
  }
}

/** Returns a copy with a capacity of at least `size`, and a reserve: growing copies all. */
const grown = <T extends Uint8Array | Uint32Array | Float64Array>(column: T, size: number): T => {
  const copy = new (column.constructor as new (size: number) => T)(Math.ceil(size * 1.25) + 1_000)
  copy.set(column)
  return copy
}
