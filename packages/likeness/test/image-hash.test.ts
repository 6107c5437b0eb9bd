import { describe, expect, it } from 'vitest'
import { imageHash } from '../src/index.js'

/** Returns an image whose brightness is a function of the coordinates, each from 0 to 1. */
const image = (width: number, height: number, shade: (x: number, y: number) => number) => {
  const data = new Uint8ClampedArray(width * height * 4)
  for (let n = 0; n < width * height; n++) {
    const value = shade(((n % width) + 0.5) / width, (Math.floor(n / width) + 0.5) / height)
    data.set([value, value, value, 255], n * 4)
  }
  return { width, height, data }
}
const waves = (x: number, y: number) => 128 + 60 * Math.sin(7 * x) + 60 * Math.cos(5 * y * x)
const distance = (a: string, b: string) =>
  [...a].reduce((sum, digit, n) => {
    const bits = Number.parseInt(digit, 16) ^ Number.parseInt(b[n] as string, 16)
    return sum + [1, 2, 4, 8].filter(bit => bits & bit).length
  }, 0)

describe('imageHash', () => {
  it('sets the bit of each block that is brighter than the median of its quarter', () => {
    const leftBright = image(64, 64, x => (x < 0.5 ? 200 : 20))
    expect(imageHash(leftBright)).toBe('ff00'.repeat(16))
  })

  it('differs in few bits for scaled or noisy copies, in many for other images', () => {
    const hash = imageHash(image(640, 480, waves))
    expect(distance(hash, imageHash(image(333, 217, waves)))).toBeLessThanOrEqual(15)
    const noisy = image(640, 480, (x, y) => waves(x, y) + 12 * Math.sin(9_999 * x * y))
    expect(distance(hash, imageHash(noisy))).toBeLessThanOrEqual(15)
    expect(distance(hash, imageHash(image(640, 480, (x, y) => waves(y, 1 - x))))).toBeGreaterThan(40)
  })

  it('returns 64 digits for images of any size', () => {
    for (const [width, height] of [
      [1, 1],
      [3, 200],
      [17, 15],
      [1_000, 2],
    ] as const) {
      expect(imageHash(image(width, height, waves))).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  it('rejects data whose length does not match the size', () => {
    const data = new Uint8Array(16)
    for (const [width, height] of [
      [3, 2],
      [0, 4],
      [-2, -2],
      [Number.NaN, 4],
      [1.5, 2],
    ] as const) {
      expect(() => imageHash({ width, height, data })).toThrow(RangeError)
    }
  })
})
