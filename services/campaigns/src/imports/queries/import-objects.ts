import { tlpOfRank } from '@iodine/contracts'
import { type ParsedPiece, type PiecePosition, readPiece } from '@iodine/exchange/intake'
import { bytesOf } from '../../bytes.js'
import type { ImportDoc, ImportPartDoc } from '../models/import.js'

/** An object of an imported file: its bytes, position and parsed content. */
export interface ImportedObject {
  raw: Buffer
  /** Its position in the file, from 0. */
  order: number
  place: PiecePosition | undefined
  known: ParsedPiece
}

/** Parses the objects of a part of an import, whose file was checked when it was received. */
export const objectsOf = (
  { format, markings }: Pick<ImportDoc, 'format' | 'markings'>,
  { raw, ends, first, places }: Pick<ImportPartDoc, 'raw' | 'ends' | 'first' | 'places'>,
): ImportedObject[] => {
  const levels = new Map(markings.map(({ id, tlp }) => [id, tlpOfRank(tlp)]))
  const file = { markings: levels }
  const all = bytesOf(raw)
  return ends.map((end, n) => {
    const bytes = all.subarray(n === 0 ? 0 : ends[n - 1], end)
    const order = first + n
    const place = places?.[n] ?? undefined
    return { raw: bytes, order, place, known: readPiece(format, bytes, order, file, place) }
  })
}
