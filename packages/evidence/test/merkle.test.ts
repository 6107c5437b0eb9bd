import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  consistencyPath,
  inclusionPath,
  type NodeAt,
  nodesAfterAppend,
  rootAt,
  rootOf,
  subtreesOf,
  verifyConsistency,
  verifyInclusion,
} from '../src/index.js'

// Literal implementation of RFC 9162, section 2.1: recursive, over lists of entries, and synchronous.
const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest()
const largestPower = (n: number) => 2 ** (Math.ceil(Math.log2(n)) - 1)
class Reference {
  readonly #leaves: Buffer[]
  readonly #known = new Map<string, Buffer>()
  constructor(leaves: Buffer[]) {
    this.#leaves = leaves
  }
  /** MTH(D[from:to]), 2.1.1. */
  mth(from: number, to: number): Buffer {
    if (to === from) return sha256()
    if (to - from === 1) return this.#leaves[from]!
    const key = `${from}:${to}`
    const known = this.#known.get(key)
    if (known) return known
    const k = largestPower(to - from)
    const hash = sha256(Buffer.of(1), this.mth(from, from + k), this.mth(from + k, to))
    this.#known.set(key, hash)
    return hash
  }
  /** PATH(m, D[from:to]), 2.1.3.1. */
  path(m: number, from: number, to: number): Buffer[] {
    const n = to - from
    if (n === 1) return []
    const k = largestPower(n)
    return m < k
      ? [...this.path(m, from, from + k), this.mth(from + k, to)]
      : [...this.path(m - k, from + k, to), this.mth(from, from + k)]
  }
  /** SUBPROOF(m, D[from:to], b), 2.1.4.1. */
  subproof(m: number, from: number, to: number, b: boolean): Buffer[] {
    const n = to - from
    if (m === n) return b ? [] : [this.mth(from, to)]
    const k = largestPower(n)
    return m <= k
      ? [...this.subproof(m, from, from + k, b), this.mth(from + k, to)]
      : [...this.subproof(m - k, from + k, to, false), this.mth(from, from + k)]
  }
}

const hex = (hashes: Buffer[]) => hashes.map(hash => hash.toString('hex'))
const leafOf = (n: number) => sha256(Buffer.of(0), Buffer.from(`leaf ${n}`))

/** Builds a log in the representation of the service: the frontier, and all complete subtrees. */
const grow = async (size: number) => {
  const nodes = new Map<string, string>()
  const roots: string[] = []
  let frontier: string[] = []
  for (let n = 0; n < size; n++) {
    const grown = await nodesAfterAppend(frontier, n, leafOf(n).toString('hex'))
    frontier = grown.frontier
    for (const { level, index, hash } of grown.nodes) nodes.set(`${level} ${index}`, hash)
    roots.push(await rootOf(frontier))
  }
  const nodeAt: NodeAt = async (level, index) => {
    const hash = nodes.get(`${level} ${index}`)
    if (hash === undefined) throw new Error(`no node ${level} ${index}`)
    return hash
  }
  return { nodeAt, roots }
}
/** Returns hashes of which one has a changed first digit. */
const spoil = (path: string[], at: number): string[] =>
  path.map((hash, n) => (n === at ? (hash[0] === '0' ? '1' : '0') + hash.slice(1) : hash))

describe('the log', () => {
  const SIZE = 2_048
  const reference = new Reference(Array.from({ length: SIZE }, (_, n) => leafOf(n)))

  it('returns the roots and paths of RFC 9162 for all sizes up to 2,048', { tags: 'long' }, async () => {
    const { nodeAt, roots } = await grow(SIZE)
    expect(await rootAt(nodeAt, 0)).toBe(reference.mth(0, 0).toString('hex'))
    for (let size = 1; size <= SIZE; size++) {
      const root = reference.mth(0, size).toString('hex')
      expect(roots[size - 1]).toBe(root)
      const frontier = await Promise.all(subtreesOf(size).map(({ level, index }) => nodeAt(level, index)))
      expect(await rootOf(frontier)).toBe(root)
      // Large trees: the last and the middle leaf. Small trees: all leaves.
      const step = size <= 64 ? 1 : Math.ceil(size / 2)
      for (let seq = size - 1; seq >= 0; seq -= step) {
        const path = await inclusionPath(nodeAt, seq, size)
        expect(path).toEqual(hex(reference.path(seq, 0, size)))
        expect(await verifyInclusion(leafOf(seq).toString('hex'), seq, size, path, root)).toBe(true)
      }
      for (let from = size; from >= 1; from -= step) {
        const path = await consistencyPath(nodeAt, from, size)
        expect(path).toEqual(hex(reference.subproof(from, 0, size, true)))
        expect(await verifyConsistency(from, size, roots[from - 1]!, root, path)).toBe(true)
      }
    }
  })

  it('rejects paths of other leaves and trees', async () => {
    const size = 300
    const { nodeAt, roots } = await grow(size)
    const root = roots.at(-1)!
    for (const seq of [0, 1, 127, 128, 255, 256, 299]) {
      const leaf = leafOf(seq).toString('hex')
      const path = await inclusionPath(nodeAt, seq, size)
      const wrong = [
        verifyInclusion(leafOf(seq + 1).toString('hex'), seq, size, path, root),
        verifyInclusion(leaf, seq === 0 ? 1 : seq - 1, size, path, root),
        verifyInclusion(leaf, seq, size, path, roots.at(-2)!),
        verifyInclusion(leaf, seq, size, path.slice(1), root),
        verifyInclusion(leaf, seq, size, [...path, root], root),
        verifyInclusion(leaf, size, size, path, root),
        verifyInclusion(leaf, -1, size, path, root),
        verifyInclusion(leaf, Number.NaN, size, path, root),
        ...path.map((_, at) => verifyInclusion(leaf, seq, size, spoil(path, at), root)),
      ]
      expect(new Set(await Promise.all(wrong))).toEqual(new Set([false]))
    }
    for (const from of [1, 2, 63, 64, 65, 256, 299]) {
      const first = roots[from - 1]!
      const path = await consistencyPath(nodeAt, from, size)
      const wrong = [
        verifyConsistency(from, size, roots[from]!, root, path),
        verifyConsistency(from, size, first, first, path),
        verifyConsistency(from, size, first, root, [...path, root]),
        verifyConsistency(from, size, first, root, path.slice(1)),
        verifyConsistency(from, size, first, root, []),
        verifyConsistency(0, size, first, root, path),
        verifyConsistency(size + 1, size, first, root, path),
        ...path.map((_, at) => verifyConsistency(from, size, first, root, spoil(path, at))),
      ]
      expect(new Set(await Promise.all(wrong))).toEqual(new Set([false]))
    }
    expect(await verifyConsistency(size, size, root, root, [])).toBe(true)
    expect(await verifyConsistency(size, size, root, root, [root])).toBe(false)
    await expect(inclusionPath(nodeAt, size, size)).rejects.toThrow(RangeError)
    await expect(consistencyPath(nodeAt, 0, size)).rejects.toThrow(RangeError)
    await expect(consistencyPath(nodeAt, size + 1, size)).rejects.toThrow(RangeError)
  })

  it('verifies its paths for 200 random sizes up to 1,000,000', { tags: 'long' }, async () => {
    // All leaves are equal: subtrees of a level share one hash, so large trees cost little.
    const level: Buffer[] = [leafOf(0)]
    for (let n = 1; n <= 20; n++) level.push(sha256(Buffer.of(1), level[n - 1]!, level[n - 1]!))
    const nodeAt: NodeAt = async n => level[n]!.toString('hex')
    const leaf = leafOf(0).toString('hex')
    const whole = (count: number): Buffer => {
      if (Number.isInteger(Math.log2(count))) return level[Math.log2(count)]!
      const k = largestPower(count)
      return sha256(Buffer.of(1), whole(k), whole(count - k))
    }
    let seed = 1
    const below = (n: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % n
    }
    for (let n = 0; n < 200; n++) {
      const size = 1 + below(1_000_000)
      const root = whole(size).toString('hex')
      expect(await rootAt(nodeAt, size)).toBe(root)
      const seq = below(size)
      const path = await inclusionPath(nodeAt, seq, size)
      expect(await verifyInclusion(leaf, seq, size, path, root)).toBe(true)
      const from = 1 + below(size)
      const consistency = await consistencyPath(nodeAt, from, size)
      expect(await verifyConsistency(from, size, whole(from).toString('hex'), root, consistency)).toBe(true)
      if (from < size)
        expect(await verifyConsistency(from, size, whole(from + 1).toString('hex'), root, consistency)).toBe(
          false,
        )
    }
  })
})
