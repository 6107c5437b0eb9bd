import { bmvbhash } from 'blockhash-core'

/** Pixels in the format of a canvas: red, green, blue and alpha, one byte each, row by row. */
export interface Pixels {
  width: number
  height: number
  data: Uint8Array | Uint8ClampedArray
}

/** Blocks per side: 256 bits. */
const BLOCKS = 16
const CHANNELS = 4

/** Scales an image up to at least one pixel per block, by repeating pixels. */
const enlarge = ({ width, height, data }: Pixels): Pixels => {
  const byX = Math.max(1, Math.ceil(BLOCKS / width))
  const byY = Math.max(1, Math.ceil(BLOCKS / height))
  if (byX === 1 && byY === 1) return { width, height, data }
  const large = new Uint8Array(width * byX * height * byY * CHANNELS)
  for (let y = 0; y < height * byY; y++) {
    for (let x = 0; x < width * byX; x++) {
      const from = (Math.floor(y / byY) * width + Math.floor(x / byX)) * CHANNELS
      large.set(data.subarray(from, from + CHANNELS), (y * width * byX + x) * CHANNELS)
    }
  }
  return { width: width * byX, height: height * byY, data: large }
}

/**
 * Returns an image's perceptual hash: 64 hexadecimal digits, one bit for each of 16 × 16 blocks, set if the block is
 * brighter than the median of its quarter (Yang, Gu and Niu, 2006). Scaled or recompressed copies differ in few bits.
 * @throws RangeError if width and height do not match the length of the data
 */
export function imageHash({ width, height, data }: Pixels): string {
  const isSize = Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && height > 0
  if (!isSize || data.length !== width * height * CHANNELS) {
    throw new RangeError(`No image of ${width} × ${height} pixels in ${data.length} bytes`)
  }
  return bmvbhash(enlarge({ width, height, data }), BLOCKS)
}
