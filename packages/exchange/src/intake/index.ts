// Parsing of imported files. A separate entry point, because it needs the list of techniques.
import type { ImportFormat } from '@iodine/contracts'
import type { SliceLimits } from '../json/scanner.js'
import { readMispPiece } from '../misp/read.js'
import { parseObject } from '../stix/read.js'
import { openMisp } from './misp.js'
import type { OpenedFile, ParsedPiece, PiecePosition } from './opened.js'
import { openCsv, openJson, readEntryPiece } from './records.js'
import { openStix, readStixPiece } from './stix.js'

export type { OpenedFile, ParsedPiece, PiecePosition } from './opened.js'
export { openOwnBundle } from './records.js'

/** Returns whether pieces of a format are stored unchanged. Pieces of other formats are parsed and discarded. */
export const isStoredFormat = (format: ImportFormat): boolean => format === 'stix' || format === 'misp'

/**
 * Opens a file. Yields regularly, so that other work can run.
 * @throws UnreadableFile for another format, and beyond a limit
 */
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
 * Parses a piece.
 * @param order position in the file, from 0
 * @param place position in a MISP event, or format of an embedded piece
 */
export function readPiece(
  format: ImportFormat,
  raw: Uint8Array,
  order: number,
  file: Pick<OpenedFile, 'markings'>,
  place: PiecePosition | undefined,
): ParsedPiece {
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
