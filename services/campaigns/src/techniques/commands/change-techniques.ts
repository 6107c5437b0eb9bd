import { DETAILS, LIMITS, obsoleteTechnique } from '@iodine/contracts'
import { findTechnique, isTechnique, successorsOf } from '@iodine/exchange/disarm'
import { conflict, HttpError, inTransaction, invalid, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { Store } from '../../models.js'
import { findTechniques } from '../queries/techniques.js'
import { moveQuotes } from './change-quotes.js'

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

/**
 * Adds a technique that a user chooses, as `addTechnique`. Throws 422 also for an obsolete one that the campaign does not
 * use.
 */
export const chooseTechnique = async (
  store: Store,
  userId: string,
  id: string,
  tid: string,
): Promise<TechniqueDoc[]> => {
  if (findTechnique(tid)?.until != null) {
    const used = await findTechniques(store.campaigns, id)
    if (used.some(each => each.id === tid)) return used
    throw invalid([obsoleteTechnique(successorsOf(tid)?.ids ?? [])])
  }
  return addTechnique(store, userId, id, tid)
}

/**
 * Replaces an obsolete technique by successors, which receive its quotes. Replacing it again by the same ones has no
 * effect.
 * @throws HttpError 404 for an unknown campaign, or one that uses neither, 409 for a current technique, 413 for a
 *   campaign with the maximum number of techniques, 422 for another technique than a successor
 */
export const replaceTechnique = async (
  store: Store,
  userId: string,
  id: string,
  tid: string,
  successors: readonly string[],
): Promise<TechniqueDoc[]> => {
  if (findTechnique(tid)?.until === null) throw conflict(DETAILS.notObsolete)
  const known = successorsOf(tid)?.ids ?? []
  if (successors.some(each => !known.includes(each))) throw invalid([DETAILS.notASuccessor])
  await inTransaction(store.mongo, async session => {
    const used = await findTechniques(store.campaigns, id, session)
    if (used.every(each => each.id !== tid)) {
      if (successors.every(each => used.some(other => other.id === each))) return
      throw notFound()
    }
    const by = new Types.ObjectId(userId)
    const fresh = [...new Set(successors)]
      .filter(each => used.every(other => other.id !== each))
      .map(each => ({ id: each, by, at: new Date() }))
    const techniques = used.flatMap(each => (each.id === tid ? fresh : [each]))
    if (techniques.length > MAX) throw new HttpError(413, DETAILS.techniquesFull)
    await changeCampaign(store, userId, { _id: id }, { $set: { techniques } }, session)
    await moveQuotes(store, id, tid, successors, session)
  })
  return findTechniques(store.campaigns, id)
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
