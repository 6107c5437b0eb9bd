import type { RecordOf, Source } from '@iodine/contracts'
import { charsOf } from './chars-of.js'

/** Records of one source that are sent together. */
export interface Batch {
  source: Source
  /** Number of the file's records before this batch. */
  offset: number
  records: RecordOf[Source][]
}

/** Bounds of a batch: of the endpoint's records, and well below its bytes, as a character has up to six with its escape. */
const RECORDS_MAX = 500
const CHARS_MAX = 2_000_000

/** Collects records in batches of one source. */
export class Batches {
  readonly #open = new Map<Source, { records: RecordOf[Source][]; chars: number }>()
  /** Records in the batches so far. */
  total = 0

  /** Adds a record. Returns the batch that is full because of it, if any. */
  add(source: Source, record: RecordOf[Source]): Batch | undefined {
    const chars = charsOf(record)
    const open = this.#open.get(source)
    const isFull = open && (open.records.length >= RECORDS_MAX || open.chars + chars > CHARS_MAX)
    const batch = isFull ? this.#close(source, open.records) : undefined
    const { records, chars: before } = this.#open.get(source) ?? { records: [], chars: 0 }
    records.push(record)
    this.#open.set(source, { records, chars: before + chars })
    return batch
  }

  /** Returns the remaining batches. */
  flush(): Batch[] {
    return [...this.#open].map(([source, { records }]) => this.#close(source, records))
  }

  #close(source: Source, records: RecordOf[Source][]): Batch {
    const batch = { source, offset: this.total, records }
    this.total += records.length
    this.#open.delete(source)
    return batch
  }
}
