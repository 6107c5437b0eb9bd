import type { ImportFormat } from '@iodine/contracts'
import { type Entry, formatOf } from '../src/index.js'
import { openFile, openOwnBundle, readPiece } from '../src/intake/index.js'

const LIMITS = { objects: 200_000, objectBytes: 4_194_304, depth: 64 }

const finish = <T>(steps: Generator<void, T>): T => {
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/**
 * Reads the entries of a file in the same way as an import.
 * @throws UnreadableFile
 */
export const readIods = (text: string): Entry[] => readBytes(new TextEncoder().encode(text), formatOf(text))

/** Reads the entries of a file in a format. */
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
