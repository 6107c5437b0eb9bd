import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'

/** WOFF2's known table tags by index (W3C, WOFF 2.0, 4.1), up to the one that the test reads. */
const TAGS =
  'cmap head hhea hmtx maxp name OS/2 post cvt_ fpgm glyf loca prep CFF_ VORG EBDT EBLC gasp hdmx kern LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB'.split(
    ' ',
  )

/** Returns the features of a WOFF2 font that replace glyphs. */
const featuresOf = (font: Buffer): string[] => {
  let at = 48
  const number = () => {
    let value = 0
    for (;;) {
      const byte = font[at++] as number
      value = (value << 7) | (byte & 127)
      if (byte < 128) return value
    }
  }
  let [start, found] = [0, -1]
  for (let table = font.readUInt16BE(12); table > 0; table--) {
    const flags = font[at++] as number
    if ((flags & 63) === 63) at += 4
    const tag = TAGS[flags & 63]
    const isTransformed = tag === 'glyf' || tag === 'loca' ? flags >> 6 !== 3 : flags >> 6 !== 0
    const length = number()
    const stored = isTransformed ? number() : length
    if (tag === 'GSUB') found = start
    start += stored
  }
  const gsub = brotliDecompressSync(font.subarray(at)).subarray(found)
  const list = gsub.readUInt16BE(6)
  return Array.from({ length: gsub.readUInt16BE(list) }, (_, n) =>
    gsub.toString('latin1', list + 2 + 6 * n, list + 6 + 6 * n),
  )
}

test('contains no contextual alternates or ligatures, so that values are drawn unchanged', () => {
  const font = readFileSync(join(import.meta.dirname, '../src/app/fonts/inter-latin-wght-normal.woff2'))
  const features = new Set(featuresOf(font))
  expect(features).toContain('tnum')
  for (const tag of ['calt', 'liga', 'clig', 'dlig', 'frac', 'rclt']) expect(features).not.toContain(tag)
  expect(font.length).toBeLessThan(70_000)
})
