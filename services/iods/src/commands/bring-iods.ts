import { type BodyOf, type iodsInternal, type ResponseOf, rankOfTlp } from '@iodine/contracts'
import { isDuplicateKey, unavailable } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { bytesOf, type IodModels } from '../models/index.js'
import type { IodDoc } from '../models/iod.js'
import { findIods } from '../queries/find-iods.js'
import { foldKey, newIodDoc } from './create-iod.js'

/** How often it is tried again after others created some of the IODs meanwhile. */
const TRIES = 5

/**
 * Finds IODs by category and value, and creates those that are missing, all of them or none. May be repeated.
 * An IOD that is created keeps the level of the file that it comes from.
 * @returns the ids in the given order, and the IODs that were created
 * @throws 413 when they do not fit into the user's quotas
 */
export const bringIods = async (
  models: IodModels,
  { user_id, iods: given }: BodyOf<typeof iodsInternal.bringIods>,
): Promise<{ found: ResponseOf<typeof iodsInternal.bringIods>; created: IodDoc[] }> => {
  const { iods, tallies, quotas } = models
  const created_by = new Types.ObjectId(user_id)
  for (let tries = 0; tries < TRIES; tries++) {
    const ids = await findIods(
      iods,
      given.map(({ iod }) => iod),
    )
    const missing = new Map<string, IodDoc>()
    for (const [n, { iod, tlp }] of given.entries()) {
      const key = `${iod.category} ${foldKey(iod)}`
      if (ids[n] !== null || missing.has(key)) continue
      missing.set(key, {
        ...newIodDoc(created_by, iod),
        ...(tlp !== null && { tlp: rankOfTlp(tlp) }),
      })
    }
    const created = [...missing.values()]
    const found = given.map(({ iod }, n) => {
      const made = missing.get(`${iod.category} ${foldKey(iod)}`)
      return { id: ids[n] ?? made?._id.toHexString() ?? '', created: ids[n] === null }
    })
    if (created.length === 0) return { found, created }
    const bytes = created.reduce((sum, doc) => sum + bytesOf(doc), 0)
    const delta = { iods: created.length, iods_today: created.length, iod_bytes: bytes }
    try {
      await quotas.change(created_by, delta, async session => {
        const revision = new Date()
        await iods.insertMany(
          created.map(doc => ({ ...doc, revision })),
          { session },
        )
        await tallies.insertMany(
          created.map(({ category, source_type }) => ({ category, source_type, n: 1 })),
          { session },
        )
      })
      return { found, created }
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
  throw unavailable()
}
