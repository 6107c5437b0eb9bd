import { concat, fromHex, sha256Hex } from './hash.js'

/**
 * Look-up of the hash of a complete subtree of 2^`level` leaves, which begins at leaf `index` * 2^`level`. Level 0
 * contains the leaf hashes. Hashes are hexadecimal.
 */
export type NodeAt = (level: number, index: number) => Promise<string>

export interface TreeNode {
  level: number
  index: number
  hash: string
}

/** Returns the hash of a node with two subtrees (RFC 9162, 2.1.1): SHA-256 of 0x01 and both hashes. */
export const nodeHash = (left: string, right: string): Promise<string> =>
  sha256Hex(concat(Uint8Array.of(1), fromHex(left), fromHex(right)))

/** Returns the hash of an empty tree: SHA-256 of the empty string. */
const emptyRoot = (): Promise<string> => sha256Hex('')

const isOdd = (n: number) => n % 2 === 1
const half = (n: number) => Math.floor(n / 2)

/** Returns the largest power of two below `n`, for n > 1: RFC 9162, 2.1.1, splits a tree there. */
const splitOf = (n: number): number => {
  let power = 1
  while (power * 2 < n) power *= 2
  return power
}

/** Returns the complete subtrees of a tree of `size` leaves, largest first: one for each binary digit 1 of `size`. */
export const subtreesOf = (size: number): Omit<TreeNode, 'hash'>[] => {
  const subtrees: Omit<TreeNode, 'hash'>[] = []
  for (let start = 0; start < size; ) {
    const level = Math.floor(Math.log2(size - start))
    subtrees.push({ level, index: start / 2 ** level })
    start += 2 ** level
  }
  return subtrees
}

/**
 * Appends a leaf to a tree of `size` leaves.
 * @param frontier hashes of its `subtreesOf`
 * @returns the frontier of the larger tree, and the newly complete nodes, the leaf first
 */
export const nodesAfterAppend = async (
  frontier: readonly string[],
  size: number,
  leaf: string,
): Promise<{ frontier: string[]; nodes: TreeNode[] }> => {
  const next = [...frontier]
  let node: TreeNode = { level: 0, index: size, hash: leaf }
  const nodes = [node]
  for (let rest = size; isOdd(rest); rest = half(rest)) {
    const left = next.pop()
    if (left === undefined) throw new RangeError('the frontier does not belong to this size')
    node = { level: node.level + 1, index: half(node.index), hash: await nodeHash(left, node.hash) }
    nodes.push(node)
  }
  next.push(node.hash)
  return { frontier: next, nodes }
}

/** Returns the root of the tree with this frontier, which may be empty. */
export const rootOf = async (frontier: readonly string[]): Promise<string> => {
  let root: string | undefined
  for (const hash of frontier.toReversed()) root = root === undefined ? hash : await nodeHash(hash, root)
  return root ?? emptyRoot()
}

/** Returns the hash of the `count` leaves from `start`; `start` must be the beginning of a subtree. */
const rangeHash = async (nodeAt: NodeAt, start: number, count: number): Promise<string> => {
  const level = Math.log2(count)
  if (Number.isInteger(level)) return nodeAt(level, start / count)
  const split = splitOf(count)
  return nodeHash(
    await rangeHash(nodeAt, start, split),
    await rangeHash(nodeAt, start + split, count - split),
  )
}

/** Returns the root of the tree of the first `size` leaves. */
export const rootAt = async (nodeAt: NodeAt, size: number): Promise<string> =>
  size === 0 ? emptyRoot() : rangeHash(nodeAt, 0, size)

const assertRange = (isInRange: boolean, message: string): void => {
  if (!isInRange) throw new RangeError(message)
}

/**
 * Returns the inclusion path (RFC 9162, 2.1.3.1) of leaf `seq` in the tree of `size` leaves, the leaf's sibling first.
 */
export const inclusionPath = async (nodeAt: NodeAt, seq: number, size: number): Promise<string[]> => {
  assertRange(seq >= 0 && seq < size, 'the leaf is not in a tree of this size')
  const path: string[] = []
  for (let start = 0, count = size; count > 1; ) {
    const split = splitOf(count)
    const isLeft = seq - start < split
    path.push(
      await (isLeft ? rangeHash(nodeAt, start + split, count - split) : rangeHash(nodeAt, start, split)),
    )
    if (!isLeft) start += split
    count = isLeft ? split : count - split
  }
  return path.reverse()
}

/** Returns the consistency path (RFC 9162, 2.1.4.1) between the trees of the first `from` and the first `to` leaves. */
export const consistencyPath = async (nodeAt: NodeAt, from: number, to: number): Promise<string[]> => {
  assertRange(from >= 1 && from <= to, 'from must be 1 to the size of the log')
  const path: string[] = []
  let isWhole = true
  let [start, count, wanted] = [0, to, from]
  while (wanted !== count) {
    const split = splitOf(count)
    if (wanted <= split) {
      path.push(await rangeHash(nodeAt, start + split, count - split))
      count = split
    } else {
      path.push(await rangeHash(nodeAt, start, split))
      start += split
      count -= split
      wanted -= split
      isWhole = false
    }
  }
  if (!isWhole) path.push(await rangeHash(nodeAt, start, count))
  return path.reverse()
}

/** Verifies an inclusion path (RFC 9162, 2.1.3.2). Hashes are hexadecimal. */
export const verifyInclusion = async (
  leaf: string,
  seq: number,
  size: number,
  path: readonly string[],
  root: string,
): Promise<boolean> => {
  if (!(Number.isSafeInteger(seq) && Number.isSafeInteger(size)) || seq < 0 || seq >= size) return false
  let [fn, sn, hash] = [seq, size - 1, leaf]
  for (const sibling of path) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      hash = await nodeHash(sibling, hash)
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else hash = await nodeHash(hash, sibling)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && hash === root
}

/** Verifies a consistency path (RFC 9162, 2.1.4.2). Hashes are hexadecimal. */
export const verifyConsistency = async (
  from: number,
  to: number,
  fromRoot: string,
  toRoot: string,
  path: readonly string[],
): Promise<boolean> => {
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to)) || from < 1 || from > to) return false
  if (from === to) return path.length === 0 && fromRoot === toRoot
  const isComplete = Number.isInteger(Math.log2(from))
  const hashes = isComplete ? [fromRoot, ...path] : [...path]
  const first = hashes.shift()
  if (first === undefined) return false
  let [fn, sn] = [from - 1, to - 1]
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)]
  let [fr, sr] = [first, first]
  for (const hash of hashes) {
    if (sn === 0) return false
    if (isOdd(fn) || fn === sn) {
      fr = await nodeHash(hash, fr)
      sr = await nodeHash(hash, sr)
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)]
    } else sr = await nodeHash(sr, hash)
    ;[fn, sn] = [half(fn), half(sn)]
  }
  return sn === 0 && fr === fromRoot && sr === toRoot
}
