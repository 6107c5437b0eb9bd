import { type DocOf, defineSchema, hashOf, typed } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

export const sumId = (graph: Types.ObjectId, item: string): string =>
  hashOf(`${graph.toHexString()}\n${item}`)

/** Maximum code points of an order, because index keys are bounded. */
const ORDER_MAX = 200

/** Maps a text so that its order by code points equals the original's order by UTF-16 code units. */
const byCodeUnits = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: two of them separate the ends of a link.
  /^[\u0002-\ud7ff]*$/.test(text)
    ? text
    : Array.from(text, char => {
        const point = char.codePointAt(0) as number
        if (point <= 1) return '\u0001'
        if (point === 0x10ffff) return `${char}\u0001`
        return point >= 0xe000 && point <= 0xffff ? `\u{10ffff}${char}` : char
      }).join('')

/**
 * Returns a sort key for the database, which compares texts by code points. It is consistent with the order by code
 * units, and equal for ids that differ only after `ORDER_MAX` code points.
 */
export const orderOf = (id: string, to?: string): string => {
  const whole = to === undefined ? byCodeUnits(id) : `${byCodeUnits(id)}\u0000${byCodeUnits(to)}`
  return whole.length <= ORDER_MAX ? whole : Array.from(whole).slice(0, ORDER_MAX).join('')
}

/** Encodes pairs of a number and its count as base-128 varints. */
export const packCounts = (counts: ReadonlyMap<number, number>): Buffer => {
  const bytes: number[] = []
  for (const pair of counts)
    for (let value of pair) {
      for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
      bytes.push(value)
    }
  return Buffer.from(bytes)
}

/** Calls `take` with each pair that `packCounts` encoded. */
export const eachCount = (bytes: Uint8Array | undefined, take: (number: number, count: number) => void) => {
  let at = 0
  const next = () => {
    let value = 0
    for (let factor = 1; bytes && at < bytes.length; factor *= 128) {
      const byte = bytes[at++] as number
      value += (byte & 127) * factor
      if (byte < 128) break
    }
    return value
  }
  while (bytes && at < bytes.length) take(next(), next())
}

const required = true
export const summedSchema = defineSchema('summed', {
  /** The user. */
  _id: { type: Schema.Types.ObjectId, required },
  /** Id of the sums in use. Null: none, and reads sum the edges. */
  graph: { type: Schema.Types.ObjectId, default: null },
  /** Id of the sums under construction. A build stops once this contains another id. */
  building: Schema.Types.ObjectId,
  /** The sums are too large: the spellings or sources of a node exceed a document. */
  refused: Boolean,
  entities: { type: Number, default: 0 },
  verbs: { type: Number, default: 0 },
  links: { type: Number, default: 0 },
  /** The next source's number. */
  sources: { type: Number, default: 0 },
  /** Time of the last fold, or when the sums were dropped. */
  folded_at: Date,
})
/**
 * State of a user's sums: the all-time counts of each node, link and source. Bounded reads of the whole graph read them
 * in descending order. The outbox kind `sums` builds them for large graphs after the first read.
 */
export type SummedDoc = DocOf<typeof summedSchema>

export const sumSchema = defineSchema('sums', {
  /** Hash of graph and item. */
  _id: { type: String, required },
  user_id: { type: Schema.Types.ObjectId, required },
  graph: { type: Schema.Types.ObjectId, required },
  kind: { type: typed<'node' | 'link' | 'source'>(String), required },
  count: { type: Number, required },
  /** Ascending order among equal counts. */
  order: { type: String, required },
  /** A node's id, a link's first end, a source's name. */
  name: { type: String, required },
  /** A link's second end. */
  to: String,
  /** A node's spellings and how often each occurs. */
  texts: { type: [String], default: undefined },
  times: { type: [Number], default: undefined },
  /** A source's number. */
  number: Number,
  /** Numbers and counts of a node's or link's sources. */
  sources: Buffer,
})
export type SumDoc = DocOf<typeof sumSchema>
sumSchema.index({ user_id: 1, graph: 1, kind: 1, count: -1, order: 1 })
