import { recordsInternal } from '@iodine/contracts'
import { HttpError, type Peers } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { Secrets } from '../../sightings/policies/signatures.js'
import { createSign } from '../../sightings/policies/signatures.js'
import { type FindQuotes, findMatches, type Scope } from '../../sightings/queries/candidates.js'
import { questionOf, valueQuestion } from '../../sightings/queries/question.js'
import type { RunDoc } from '../models/run.js'

const OPEN_MS = 10_000

/**
 * Finds the records that a run is restricted to, by the search of Origins. Resolves to undefined for an unrestricted
 * run, and to an empty list for a deleted post. Rejects while the collector, which stores the texts, is down.
 */
export const recordsAbout = async (
  { models, peers, secrets }: { models: SightingModels; peers: Peers; secrets: () => Promise<Secrets> },
  { owner, scope, about }: Pick<RunDoc, 'owner' | 'scope' | 'about'>,
): Promise<Types.ObjectId[] | undefined> => {
  if (!about) return undefined
  const sign = createSign((await secrets()).seed)
  const findQuotes: FindQuotes = async (quoting, ids) => {
    const body = { user_id: owner.toHexString(), ids, excerpt: 0, quoting }
    const open = await peers.call('collector', recordsInternal.openRecords, { body, ms: OPEN_MS })
    return new Map(open.map(({ id, quotes }) => [id, quotes]))
  }
  const scopes: Scope[] = [{ owner }, ...(scope === 'shared' ? [{ shared: { $exists: true } } as const] : [])]
  const questions = about.record_id
    ? await questionOf(models, sign, owner, { record_id: about.record_id, scope, limit: 1 }).then(
        question => [question],
        error => {
          if (error instanceof HttpError && error.status === 404) return []
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
