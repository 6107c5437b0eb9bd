import { keyOf } from './keys.js'
import type { Match, Matcher } from './link.js'
import { listsOf } from './lists.js'

/** Required number of dimensions of a vector. */
export const DIMENSIONS = 256

/**
 * Vectors by label, 256 floats or int8 each; labels are compared by their keys. Vectors of another length, of zeros or
 * with a non-finite number are ignored.
 */
export type Embeddings = ReadonlyMap<string, ArrayLike<number>>

/** Minimum cosine similarity of two labels of one cluster. */
const COSINE_MIN = 0.78
/** Weight below that of words: vectors are similar for "East Germany" and "West Germany". */
const MEANING_WEIGHT = 0.6
/** Maximum labels whose vectors are compared, most frequent first: time is quadratic. */
const COMPARED_MAX = 12_000
/**
 * Maximum differing signs of two vectors: at the minimum cosine, 55 of 256 differ on average, with a standard deviation
 * of 7. Method: Charikar's sketches (STOC 2002).
 */
const SIGNS_MAX = 84
const SKETCH = DIMENSIONS / 32

interface Vector {
  /** Of length 1. */
  numbers: Float32Array
  /** The signs of the numbers. */
  sketch: Int32Array
}

const vectorOf = (numbers: ArrayLike<number> | null | undefined): Vector | undefined => {
  if (numbers?.length !== DIMENSIONS) return undefined
  let square = 0
  for (let n = 0; n < DIMENSIONS; n++) square += Number(numbers[n]) ** 2
  const length = Math.sqrt(square)
  if (!Number.isFinite(length) || length === 0) return undefined
  const sketch = new Int32Array(SKETCH)
  const unit = new Float32Array(DIMENSIONS)
  for (let n = 0; n < DIMENSIONS; n++) {
    const number = Number(numbers[n])
    unit[n] = number / length
    if (number > 0) sketch[n >> 5] = (sketch[n >> 5] ?? 0) | (1 << (n & 31))
  }
  return { numbers: unit, sketch }
}

/** Returns the number of set bits of a 32-bit integer. */
const bitsOf = (integer: number): number => {
  let bits = integer - ((integer >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

const areNear = (a: Int32Array, b: Int32Array): boolean => {
  let differing = 0
  for (let n = 0; n < SKETCH; n++) differing += bitsOf((a[n] as number) ^ (b[n] as number))
  return differing <= SIGNS_MAX
}

const cosineOf = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let n = 0; n < DIMENSIONS; n++) sum += (a[n] as number) * (b[n] as number)
  return sum
}

/**
 * Returns a matcher that also compares vectors, for labels that have a usable one.
 *
 * @param counts number of occurrences by key
 * @param groupOf labels of different groups never match by their vectors
 */
export const withVectors = (
  matcher: Matcher,
  embeddings: Embeddings,
  counts: ReadonlyMap<string, number>,
  groupOf: (key: string) => string,
): Matcher => {
  const vectors = new Map<string, Vector>()
  const labels = [...embeddings.keys()]
    .map(label => ({ label, key: keyOf(label) }))
    .filter(({ key }) => counts.has(key))
    .sort((a, b) => (counts.get(b.key) ?? 0) - (counts.get(a.key) ?? 0) || (a.label < b.label ? -1 : 1))
  for (const { label, key } of labels) {
    if (vectors.size >= COMPARED_MAX) break
    const vector = vectors.has(key) ? undefined : vectorOf(embeddings.get(label))
    if (vector) vectors.set(key, vector)
  }
  const leaders = listsOf<string, { vector: Vector; cluster: number }>()
  return {
    add(unit, cluster, isLeader) {
      matcher.add(unit, cluster, isLeader)
      if (!isLeader) return
      for (const key of unit.keys) {
        const vector = vectors.get(key)
        if (vector) leaders.add(groupOf(key), { vector, cluster })
      }
    },
    matchesOf(unit) {
      const found = new Map<number, Match>()
      for (const match of matcher.matchesOf(unit)) found.set(match.cluster, match)
      for (const key of unit.keys) {
        const vector = vectors.get(key)
        if (!vector) continue
        for (const leader of leaders.get(groupOf(key))) {
          if (!areNear(vector.sketch, leader.vector.sketch)) continue
          const cosine = cosineOf(vector.numbers, leader.vector.numbers)
          const known = found.get(leader.cluster)
          const similarity = cosine * MEANING_WEIGHT
          if (cosine >= COSINE_MIN && (!known || known.similarity < similarity))
            found.set(leader.cluster, { cluster: leader.cluster, similarity, why: 'meaning' })
        }
      }
      return [...found.values()].sort((a, b) => b.similarity - a.similarity || a.cluster - b.cluster)
    },
  }
}

/** Two labels that vectors joined in an earlier run. */
export interface Alike {
  kind: 'entity' | 'verb'
  a: string
  b: string
}

/** Returns a matcher that also joins labels that vectors joined in an earlier run. */
export const withAlike = (matcher: Matcher, pairs: readonly Alike[]): Matcher => {
  const others = listsOf<string, string>()
  for (const { a, b } of pairs) {
    others.add(keyOf(a), keyOf(b))
    others.add(keyOf(b), keyOf(a))
  }
  const clusterOf = new Map<string, number>()
  return {
    add(unit, cluster, isLeader) {
      matcher.add(unit, cluster, isLeader)
      for (const key of unit.keys) if (others.has(key)) clusterOf.set(key, cluster)
    },
    matchesOf(unit) {
      const found = matcher.matchesOf(unit)
      const named = new Set(found.map(({ cluster }) => cluster))
      for (const key of unit.keys) {
        for (const other of others.get(key)) {
          const cluster = clusterOf.get(other)
          if (cluster === undefined || named.has(cluster)) continue
          named.add(cluster)
          found.push({ cluster, similarity: COSINE_MIN * MEANING_WEIGHT, why: 'meaning' })
        }
      }
      return found.sort((a, b) => b.similarity - a.similarity || a.cluster - b.cluster)
    },
  }
}
