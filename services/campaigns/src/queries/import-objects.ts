import { tlpOfRank } from '@iodine/contracts'
import { type ForeignObject, parseObject, readStixObject } from '@iodine/exchange'
import { techniqueOf } from '@iodine/exchange/disarm'
import type { ImportDoc, ImportPartDoc } from '../models/import.js'
import { bytesOf } from './bytes.js'

/** An object of an imported file: as it stands, where, and what is known of it. */
export interface ImportedObject {
  raw: Buffer
  /** Its place in the file, from 0. */
  order: number
  known: ForeignObject
  /** The technique of DISARM that it is, by DISARM's id. */
  technique: string | undefined
}

/** The objects of a part of an import, whose file was checked when it was received. */
export const objectsOf = (
  { markings }: Pick<ImportDoc, 'markings'>,
  { raw, ends, first }: Pick<ImportPartDoc, 'raw' | 'ends' | 'first'>,
): ImportedObject[] => {
  const levels = new Map(markings.map(({ id, tlp }) => [id, tlpOfRank(tlp)]))
  const all = bytesOf(raw)
  return ends.map((end, n) => {
    const bytes = all.subarray(n === 0 ? 0 : ends[n - 1], end)
    const order = first + n
    const object = parseObject(bytes.toString(), order + 1)
    const technique = object.type === 'attack-pattern' ? techniqueOf(object) : undefined
    return { raw: bytes, order, known: readStixObject(object, levels), technique }
  })
}
