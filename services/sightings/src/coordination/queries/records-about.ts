import { isNotFound } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { Context } from '../../context.js'
import { findMatches, type Scope } from '../../sightings/queries/candidates.js'
import { createFindQuotes } from '../../sightings/queries/open-records.js'
import { questionOf, valueQuestion } from '../../sightings/queries/question.js'
import type { RunDoc } from '../models/run.js'

/**
 * Finds the records that a run is restricted to, by the search of Origins. Resolves to undefined for an unrestricted
 * run, and to an empty list for a deleted post. Rejects while the collector, which stores the texts, is down.
 */
export const recordsAbout = async (
  { models, peers, secrets }: Context,
  { owner, scope, about }: Pick<RunDoc, 'owner' | 'scope' | 'about'>,
): Promise<Types.ObjectId[] | undefined> => {
  if (!about) return undefined
  const { sign } = await secrets()
  const findQuotes = createFindQuotes(peers, owner.toHexString())
  const scopes: Scope[] = [{ owner }, ...(scope === 'shared' ? [{ shared: { $exists: true } } as const] : [])]
  const questions = about.record_id
    ? await questionOf(models, sign, owner, { record_id: about.record_id, scope, limit: 1 }).then(
        question => [question],
        error => {
          if (isNotFound(error)) return []
          throw error
        },
      )
    : (about.values ?? []).map(value => valueQuestion(sign, value))
  const found = new Map<string, Types.ObjectId>()
  for (const question of questions)
    for (const within of scopes)
      for (const { doc } of (await findMatches(models, question, within, {}, findQuotes)).found)
        found.set(doc._id.toHexString(), doc._id)
  return [...found.values()]
}
