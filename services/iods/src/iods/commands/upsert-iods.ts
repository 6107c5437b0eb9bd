import {
  type BodyOf,
  highestTlp,
  type iodsInternal,
  type ResponseOf,
  rankOfTlp,
  type Tlp,
} from '@iodine/contracts'
import { isDuplicateKey, unavailable } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { bytesOf } from '../../models.js'
import type { IodStore } from '../../store.js'
import type { IodDoc, IodModel } from '../models/iod.js'
import type { TallyDoc } from '../models/tally.js'
import { foldKey } from '../policies/names.js'
import { findIods } from '../queries/find-iods.js'
import { newIodDoc } from './create-iod.js'

/** Maximum attempts: concurrent requests may create some of the IODs. */
const TRIES = 5

/** Raises the level of the IODs that the import created with a lower level or none. */
const raiseLevels = async (
  iods: IodModel,
  importId: string,
  ids: readonly (string | null)[],
  level: Tlp,
): Promise<void> => {
  const tlp = rankOfTlp(level)
  await iods.updateMany(
    {
      _id: { $in: [...new Set(ids)] as never },
      import_id: new Types.ObjectId(importId),
      $or: [{ tlp: { $lt: tlp } }, { tlp: null as never }],
    },
    { $set: { tlp } },
  )
}

/** Counts IODs by kind. */
const talliesOf = (docs: readonly IodDoc[]): Omit<TallyDoc, '_id'>[] => {
  const kinds = new Map<string, Omit<TallyDoc, '_id'>>()
  for (const { category, source_type } of docs) {
    const kind = `${category} ${source_type}`
    kinds.set(kind, { category, source_type, n: (kinds.get(kind)?.n ?? 0) + 1 })
  }
  return [...kinds.values()]
}

/**
 * Finds IODs by category and value, and creates the missing ones in one transaction. Idempotent. A created IOD has the
 * strictest level of this call and later calls of the same import.
 * @returns the ids in the given order
 * @throws HttpError 413 past the user's quotas, 503 after repeated conflicts
 */
export const upsertIods = async (
  { iods, tallies, quotas, newIods }: IodStore,
  { user_id, import_id, iods: given }: BodyOf<typeof iodsInternal.upsertIods>,
): Promise<ResponseOf<typeof iodsInternal.upsertIods>> => {
  const created_by = new Types.ObjectId(user_id)
  for (let tries = 0; tries < TRIES; tries++) {
    const ids = await findIods(
      iods,
      given.map(({ iod }) => iod),
    )
    const keys = given.map(({ iod }) => `${iod.category} ${foldKey(iod)}`)
    const levels = new Map<string, Tlp | null>()
    for (const [n, { tlp }] of given.entries()) {
      const key = keys[n] as string
      levels.set(key, highestTlp([levels.get(key), tlp]))
    }
    if (import_id)
      for (const level of new Set(levels.values())) {
        const known = ids.filter((id, n) => id !== null && levels.get(keys[n] as string) === level)
        if (level && known.length > 0) await raiseLevels(iods, import_id, known, level)
      }
    const created_at = new Date()
    const missing = new Map<string, IodDoc>()
    for (const [n, { iod }] of given.entries()) {
      const key = keys[n] as string
      if (ids[n] !== null || missing.has(key)) continue
      const tlp = levels.get(key)
      missing.set(key, {
        ...newIodDoc(created_by, iod),
        created_at,
        ...(tlp && { tlp: rankOfTlp(tlp) }),
        ...(import_id && { import_id: new Types.ObjectId(import_id) }),
      })
    }
    const created = [...missing.values()]
    const found = keys.map((key, n) => {
      const made = missing.get(key)
      return { id: ids[n] ?? made?._id.toHexString() ?? '', created: ids[n] === null }
    })
    if (created.length === 0) return found
    const bytes = created.reduce((sum, doc) => sum + bytesOf(doc), 0)
    const delta = { iods: created.length, iods_today: created.length, iod_bytes: bytes }
    try {
      await quotas.change(created_by, delta, async session => {
        const revision = new Date()
        // The driver inserts: all fields are set, and building Mongoose documents costs more than storing them.
        await iods.collection.insertMany(
          created.map(doc => ({ ...doc, revision })),
          { session },
        )
        await tallies.insertMany(talliesOf(created), { session })
        const ids = created.map(({ _id }) => ({ id: _id.toHexString() }))
        await newIods.addAll(ids, { session })
      })
      return found
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
  throw unavailable()
}
