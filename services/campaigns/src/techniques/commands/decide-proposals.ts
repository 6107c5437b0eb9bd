import { type BodyOf, type campaignsApi, DETAILS, LIMITS, listChanged } from '@iodine/contracts'
import { VERSION } from '@iodine/exchange/disarm'
import { conflict, HttpError, inTransaction, invalid, isNotFound, type Peers } from '@iodine/service-kit'
import { changeCampaign } from '../../campaigns/commands/change-campaign.js'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { Store } from '../../models.js'
import type { ProposalDoc } from '../models/proposal.js'
import { findProposals, textsOf } from '../queries/proposals.js'
import { findTechniques } from '../queries/techniques.js'
import { addQuotes, quoteOf } from './change-quotes.js'

/** Returns the quotes of accepted proposals. Throws 409 if a text was deleted. */
const quotesOf = async (store: Store, peers: Peers, run: ProposalDoc, accepted: readonly string[]) => {
  if (accepted.length === 0) return []
  const texts = await textsOf(store, peers, run).catch(error => {
    throw isNotFound(error) ? conflict(DETAILS.proposalSourceGone) : error
  })
  const byId = new Map(texts.map(text => [text.id, text]))
  const by = { campaignId: run.campaign_id, userId: run.user_id, at: new Date() }
  return run.items
    .filter(({ tid }) => accepted.includes(tid))
    .map(item => {
      const text = byId.get(item.source_id)
      if (!text || item.end > text.text.length) throw conflict(DETAILS.proposalSourceGone)
      return quoteOf(text, item, by)
    })
}

/**
 * Stores a user's decisions on proposals: accepted techniques are added to the campaign with their quotes. Idempotent;
 * a later decision on a technique replaces the earlier one, but removes nothing from the campaign.
 * @throws HttpError 404, 409 before the end of the run, for a changed list and for a deleted text, 413 at a limit, 422
 *   for techniques that were not proposed
 */
export const decideProposals = async (
  store: Store,
  peers: Peers,
  userId: string,
  id: string,
  pid: string,
  { accept, reject }: BodyOf<typeof campaignsApi.decideProposals>,
): Promise<TechniqueDoc[]> => {
  const run = await findProposals(store.proposals, userId, id, pid)
  if (run.state !== 'done') throw conflict(DETAILS.proposalOpen)
  if (run.list !== VERSION) throw conflict(listChanged(VERSION))
  const proposed = new Set(run.items.map(({ tid }) => tid))
  if ([...accept, ...reject].some(tid => !proposed.has(tid))) throw invalid([DETAILS.notProposed])
  const quotes = await quotesOf(store, peers, run, accept)
  await inTransaction(store.mongo, async session => {
    const used = await findTechniques(store.campaigns, id, session)
    const fresh = quotes
      .filter(({ tid }) => used.every(each => each.id !== tid))
      .map(({ tid, by, at }) => ({ id: tid, by, at }))
    if (used.length + fresh.length > LIMITS.techniquesMax) throw new HttpError(413, DETAILS.techniquesFull)
    if (fresh.length > 0)
      await changeCampaign(store, userId, { _id: id }, { $push: { techniques: { $each: fresh } } }, session)
    await addQuotes(store, run.campaign_id, quotes, session)
    const { accepted, rejected } = (await store.proposals
      .findById(run._id)
      .session(session)
      .lean<ProposalDoc>()) ?? { accepted: [], rejected: [] }
    const decided = {
      accepted: [...new Set([...accepted, ...accept])].filter(tid => !reject.includes(tid)),
      rejected: [...new Set([...rejected, ...reject])].filter(tid => !accept.includes(tid)),
    }
    await store.proposals.updateOne({ _id: run._id }, { $set: decided }, { session })
  })
  return findTechniques(store.campaigns, id)
}
