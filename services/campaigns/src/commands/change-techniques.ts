import { DETAILS, LIMITS } from '@iodine/contracts'
import { isTechnique } from '@iodine/exchange/disarm'
import { HttpError, invalid } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { type CampaignModel, CHANGED, type TechniqueDoc } from '../models/campaign.js'
import { findTechniques } from '../queries/techniques.js'

const MAX = LIMITS.techniquesMax

/**
 * Adds a technique to a campaign. One that it has stays as it is. Throws 422 for an id that the list of DISARM's
 * techniques doesn't have, 404 for an unknown campaign, 413 for one that has as many as it may.
 * @returns all of the campaign's techniques
 */
export const addTechnique = async (
  model: CampaignModel,
  userId: string,
  id: string,
  tid: string,
): Promise<TechniqueDoc[]> => {
  if (!isTechnique(tid)) throw invalid([DETAILS.unknownTechnique])
  const technique: TechniqueDoc = { id: tid, by: new Types.ObjectId(userId), at: new Date() }
  const hasRoom = { [`techniques.${MAX - 1}`]: { $exists: false } }
  const { modifiedCount } = await model.updateOne(
    { _id: id, 'techniques.id': { $ne: tid }, ...hasRoom },
    { $push: { techniques: technique }, ...CHANGED },
  )
  const techniques = await findTechniques(model, id)
  const isFull = techniques.length >= MAX && techniques.every(each => each.id !== tid)
  if (modifiedCount === 0 && isFull) throw new HttpError(413, DETAILS.techniquesFull)
  return techniques
}

/** Adds those of the techniques that the list of DISARM's techniques has, as many as fit. May be repeated. */
export const addTechniques = async (
  model: CampaignModel,
  userId: string,
  id: string,
  tids: readonly string[],
): Promise<void> => {
  if (tids.length === 0) return
  const named = await findTechniques(model, id)
  const fresh = tids.filter(tid => isTechnique(tid) && named.every(each => each.id !== tid))
  for (const tid of fresh.slice(0, MAX - named.length)) await addTechnique(model, userId, id, tid)
}

/**
 * Removes a technique from a campaign, also one that the list doesn't have any more. Idempotent. Throws 404 for an
 * unknown campaign.
 * @returns the techniques that are left, and whether the campaign had this one
 */
export const removeTechnique = async (
  model: CampaignModel,
  id: string,
  tid: string,
): Promise<{ techniques: TechniqueDoc[]; isRemoved: boolean }> => {
  const change = { $pull: { techniques: { id: tid } }, ...CHANGED }
  const { matchedCount } = await model.updateOne({ _id: id, 'techniques.id': tid }, change)
  return { techniques: await findTechniques(model, id), isRemoved: matchedCount > 0 }
}
