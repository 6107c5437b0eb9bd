import type { Consensus } from '@iodine/contracts'
import { Types } from 'mongoose'
import type { IodDoc } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import type { CovoteBuildDoc, CovoteDoc } from '../models/covote.js'
import { type VoterHistory, weighVotes } from '../policies/consensus.js'
import { presentConsensus } from '../presenters/consensus.js'

type Models = Pick<IodModels, 'iods' | 'covotes' | 'covoteBuilds'>

/** IODs per query of voters. */
const BATCH = 50

/** Returns the consensus by IOD. Omits unknown ids, and all ids until a projection is live. */
export const findConsensus = async (
  models: Models,
  ids: readonly string[],
): Promise<Record<string, Consensus>> => {
  const found: Record<string, Consensus> = {}
  const build = await models.covoteBuilds.findOne({ live: true }).sort({ _id: -1 }).lean<CovoteBuildDoc>()
  if (!build) return found
  const now = Date.now()
  for (let start = 0; start < ids.length; start += BATCH) {
    const of = ids.slice(start, start + BATCH).map(id => new Types.ObjectId(id))
    const docs = await models.iods
      .find({ _id: { $in: of } }, { created_by: 1, votes: 1 })
      .lean<Pick<IodDoc, '_id' | 'created_by' | 'votes'>[]>()
    const history = await readHistory(models, build, docs)
    for (const doc of docs) found[doc._id.toHexString()] = presentConsensus(weighVotes(doc, history, now))
  }
  return found
}

/** Reads the voting history of the voters of IODs: one document per voter, and per pair, with a count of at least 2. */
const readHistory = async (
  { covotes }: Models,
  build: CovoteBuildDoc,
  docs: Pick<IodDoc, 'votes'>[],
): Promise<VoterHistory> => {
  const votes = new Map<string, number>()
  const together = new Map<string, Map<string, number>>()
  const history = { upTo: build.up_to.getTime(), votes, together }
  const voters = new Map<string, Types.ObjectId>()
  for (const vote of docs.flatMap(doc => doc.votes))
    if (vote.user_id) voters.set(vote.user_id.toHexString(), vote.user_id)
  if (voters.size === 0) return history
  const users = { $in: [...voters.values()] }
  const pairs = await covotes
    .find({ build: build._id, a: users, n: { $gte: 2 }, b: users }, { _id: 0, a: 1, b: 1, n: 1 })
    .lean<Pick<CovoteDoc, 'a' | 'b' | 'n'>[]>()
  const note = (one: string, other: string, n: number) => {
    const others = together.get(one) ?? new Map<string, number>()
    together.set(one, others.set(other, n))
  }
  for (const { a, b, n } of pairs) {
    const [one, other] = [a.toHexString(), b.toHexString()]
    if (one === other) votes.set(one, n)
    else {
      note(one, other, n)
      note(other, one, n)
    }
  }
  return history
}
