/** Media types of pictures that contain no scripts, by their magic bytes. */
const SIGNATURES: readonly [type: string, at: number, bytes: readonly number[]][] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
]

/** Returns the media type of a PNG, JPEG or WebP picture by its bytes, else undefined. */
export const pictureType = (bytes: Uint8Array): string | undefined =>
  SIGNATURES.find(([, at, expected]) => expected.every((byte, index) => bytes[at + index] === byte))?.[0]
