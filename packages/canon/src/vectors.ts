/** Dimensions of a usable vector. */
export const DIMENSIONS = 256

/** Vectors by label; labels are compared by their keys. Of 256 numbers each, as floats or int8. */
export type Embeddings = ReadonlyMap<string, ArrayLike<number>>

/** A vector of length 1; undefined for one of another length, with a number that is not finite, or without a direction. */
export const unitVector = (vector: ArrayLike<number> | undefined): Float32Array | undefined => {
  if (vector?.length !== DIMENSIONS) return undefined
  let square = 0
  for (let n = 0; n < DIMENSIONS; n++) square += Number(vector[n]) ** 2
  const length = Math.sqrt(square)
  if (!Number.isFinite(length) || length === 0) return undefined
  return Float32Array.from(vector, number => number / length)
}

/** Cosine of two vectors of length 1. */
export const cosine = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let n = 0; n < DIMENSIONS; n++) sum += (a[n] ?? 0) * (b[n] ?? 0)
  return sum
}
