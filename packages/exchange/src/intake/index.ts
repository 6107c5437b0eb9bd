// Files that the service takes in. An entry of its own, as it needs the list of techniques.
import type { ImportFormat } from '@iodine/contracts'
import type { SliceLimits } from '../json/scanner.js'
import { readMispPiece } from '../misp/read.js'
import { parseObject } from '../stix/read.js'
import { openMisp } from './misp.js'
import type { KnownPiece, OpenedFile, Place } from './opened.js'
import { openCsv, openJson, readEntryPiece } from './records.js'
import { openStix, readStixPiece } from './stix.js'

export type { KnownPiece, OpenedFile, Place } from './opened.js'
export { openOwnBundle } from './records.js'

/** Whether the pieces of a format are kept as they are; those of others are read, and nothing is left of them. */
export const isKeptFormat = (format: ImportFormat): boolean => format === 'stix' || format === 'misp'

/** Opens a file. Yields regularly, so that other work can run. Throws UnreadableFile for another format, and past a limit. */
export function* openFile(
  format: ImportFormat,
  bytes: Uint8Array,
  limits: SliceLimits,
): Generator<void, OpenedFile> {
  switch (format) {
    case 'stix':
      return yield* openStix(bytes, limits)
    case 'misp':
      return yield* openMisp(bytes, limits)
    case 'json':
      return yield* openJson(bytes, limits)
    case 'csv':
      return openCsv(bytes, limits)
  }
}

/**
 * What is known of a piece.
 * @param order its place in the file, from 0
 * @param place where it stands, in files that have places
 */
export function readPiece(
  format: ImportFormat,
  raw: Uint8Array,
  order: number,
  file: Pick<OpenedFile, 'markings'>,
  place: Place | undefined,
): KnownPiece {
  const parse = (from = 0) =>
    parseObject(new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw.subarray(from)), order + 1)
  if (place?.format === 'misp') {
    const isElement = !place.isText && place.type !== 'event' && place.type !== 'object'
    return readMispPiece(isElement ? parse(place.lead) : undefined, place)
  }
  switch (place?.format ?? format) {
    case 'json':
    case 'csv':
      return readEntryPiece(parse())
    default:
      return readStixPiece(parse(), file.markings)
  }
}
