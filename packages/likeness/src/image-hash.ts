import { bmvbhash } from 'blockhash-core'

/** Pixels as a canvas gives them: red, green, blue and alpha, a byte each, row by row. */
export interface Pixels {
  width: number
  height: number
  data: Uint8Array | Uint8ClampedArray
}

/** Blocks a side: 256 bits. */
const BLOCKS = 16
const CHANNELS = 4

/** An image of at least a pixel a block: smaller ones are repeated pixel by pixel. */
const enlarged = ({ width, height, data }: Pixels): Pixels => {
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
 * The perceptual hash of an image, 64 hexadecimal digits: 16 × 16 blocks, each brighter than the median of its quarter or
 * not (Yang, Gu and Niu, 2006). Copies that were scaled or compressed again differ in few bits. Throws a RangeError if
 * the pixels are not as many as width and height say.
 */
export function imageHash({ width, height, data }: Pixels): string {
  const isSize = Number.isSafeInteger(width) && Number.isSafeInteger(height) && width > 0 && height > 0
  if (!isSize || data.length !== width * height * CHANNELS) {
    throw new RangeError(`No image of ${width} × ${height} pixels in ${data.length} bytes`)
  }
  return bmvbhash(enlarged({ width, height, data }), BLOCKS)
}
