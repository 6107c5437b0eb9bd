import { DETAILS, LIMITS } from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import { HttpError, invalid } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { Store } from '../../models.js'
import { findTechniques } from '../queries/techniques.js'

const MAX = LIMITS.techniquesMax

/**
 * Adds a technique to a campaign. Idempotent. Throws 422 for an id outside the DISARM list, 404 for an unknown
 * campaign, 413 for a campaign with the maximum number of techniques.
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
  const added = await changeCampaign(store, userId, isNew, { $push: { techniques: technique } })
  const techniques = await findTechniques(store.campaigns, id)
  const isFull = techniques.length >= MAX && techniques.every(each => each.id !== tid)
  if (!added && isFull) throw new HttpError(413, DETAILS.techniquesFull)
  return techniques
}

/** Adds the techniques that are in the DISARM list, up to the maximum. Idempotent. */
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
 * Removes a technique from a campaign, also one outside the DISARM list. Idempotent. Throws 404 for an unknown
 * campaign.
 * @returns the remaining techniques, and whether the campaign had this one
 */
export const removeTechnique = async (
  store: Store,
  userId: string,
  id: string,
  tid: string,
): Promise<{ techniques: TechniqueDoc[]; isRemoved: boolean }> => {
  const used = { _id: id, 'techniques.id': tid }
  const removed = await changeCampaign(store, userId, used, { $pull: { techniques: { id: tid } } })
  return { techniques: await findTechniques(store.campaigns, id), isRemoved: removed !== null }
}
