import { DETAILS, LIMITS } from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import { HttpError, invalid } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { TechniqueDoc } from '../models/campaign.js'
import type { Store } from '../models/index.js'
import { findTechniques } from '../queries/techniques.js'
import { changeCampaign } from './change-campaign.js'

const MAX = LIMITS.techniquesMax

/**
 * Adds a technique to a campaign. One that it has stays as it is. Throws 422 for an id that the list of DISARM's
 * techniques doesn't have, 404 for an unknown campaign, 413 for one that has as many as it may.
 * @returns all of the campaign's techniques
 */
export const addTechnique = async (
  store: Store,
  userId: string,
  id: string,
  tid: string,
): Promise<TechniqueDoc[]> => {
  if (!isTechnique(tid)) throw invalid([DETAILS.unknownTechnique])
  const technique: TechniqueDoc = { id: tid, by: new Types.ObjectId(userId), at: new Date() }
  const hasRoom = { [`techniques.${MAX - 1}`]: { $exists: false } }
  const isNew = { _id: id, 'techniques.id': { $ne: tid }, ...hasRoom }
  const added = await changeCampaign(store, isNew, { $push: { techniques: technique } })
  const techniques = await findTechniques(store.campaigns, id)
  const isFull = techniques.length >= MAX && techniques.every(each => each.id !== tid)
  if (!added && isFull) throw new HttpError(413, DETAILS.techniquesFull)
  return techniques
}

/** Adds those of the techniques that the list of DISARM's techniques has, as many as fit. May be repeated. */
export const addTechniques = async (
  store: Store,
  userId: string,
  id: string,
  tids: readonly string[],
): Promise<void> => {
  if (tids.length === 0) return
  const named = await findTechniques(store.campaigns, id)
  const fresh = tids.filter(tid => isTechnique(tid) && named.every(each => each.id !== tid))
  for (const tid of fresh.slice(0, MAX - named.length)) await addTechnique(store, userId, id, tid)
}

/**
 * Removes a technique from a campaign, also one that the list doesn't have any more. Idempotent. Throws 404 for an
 * unknown campaign.
 * @returns the techniques that are left, and whether the campaign had this one
 */
export const removeTechnique = async (
  store: Store,
  id: string,
  tid: string,
): Promise<{ techniques: TechniqueDoc[]; isRemoved: boolean }> => {
  const used = { _id: id, 'techniques.id': tid }
  const removed = await changeCampaign(store, used, { $pull: { techniques: { id: tid } } })
  return { techniques: await findTechniques(store.campaigns, id), isRemoved: removed !== null }
}
