import { type ForeignObject, parseObject, readStixObject } from '@iodine/exchange'
import type { ImportDoc, ImportPartDoc } from '../models/import.js'
import { levelOf } from '../policies/levels.js'

/** An object of an imported file: as it stands, where, and what is known of it. */
export interface ImportedObject {
  raw: Buffer
  /** Its place in the file, from 0. */
  order: number
  known: ForeignObject
}

/** The objects of a part of an import, whose file was checked when it was received. */
export const objectsOf = (
  { markings }: Pick<ImportDoc, 'markings'>,
  { raw, ends, first }: Pick<ImportPartDoc, 'raw' | 'ends' | 'first'>,
): ImportedObject[] => {
  const levels = new Map(markings.map(({ id, tlp }) => [id, levelOf(tlp)]))
  return ends.map((end, n) => {
    const bytes = raw.subarray(n === 0 ? 0 : ends[n - 1], end)
    const order = first + n
    return { raw: bytes, order, known: readStixObject(parseObject(bytes.toString(), order + 1), levels) }
  })
}
