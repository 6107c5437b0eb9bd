import type { ImportFormat } from '@iodine/contracts'
import { type Entry, formatOf } from '../src/index.js'
import { openFile, openOwnBundle, readPiece } from '../src/intake/index.js'

const LIMITS = { objects: 200_000, objectBytes: 4_194_304, depth: 64 }

const finish = <T>(steps: Generator<void, T>): T => {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The entries of a file of ours, as an import reads them. Throws UnreadableFile. */
export const readIods = (text: string): Entry[] => readBytes(new TextEncoder().encode(text), formatOf(text))

/** As `readIods`; a CSV file unless said otherwise. */
export const readBytes = (bytes: Uint8Array, format: ImportFormat = 'csv'): Entry[] => {
  const opened = finish(openFile(format, bytes, LIMITS))
  const file = format === 'stix' ? finish(openOwnBundle(opened)) : opened
  return file.spans.map(([start, end], n) => {
    const raw = file.bytes.subarray(start, end)
    const known = readPiece(format === 'stix' ? 'json' : format, raw, n, file, undefined)
    const { iod, tlp, evidence, place = '', value = '', reason = '' } = known
    return iod ? { place, iod, ...(tlp && { tlp }), ...(evidence && { evidence }) } : { place, value, reason }
  })
}
