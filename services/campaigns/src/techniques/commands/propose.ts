import { type BodyOf, type campaignsApi, DETAILS, LIMITS, type QuoteSource } from '@iodine/contracts'
import { VERSION } from '@iodine/exchange/disarm'
import {
  HttpError,
  inTransaction,
  invalid,
  isDuplicateKey,
  type Peers,
  type RateLimit,
  requireAiKey,
} from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import { findCampaign } from '../../campaigns/queries/campaign-detail.js'
import type { Store } from '../../models.js'
import type { ProposalDoc, ProposalModel } from '../models/proposal.js'
import { hashOfTexts, readTexts, sentencesIn } from '../queries/source-texts.js'

/** `Retry-After` in seconds during another run. */
const RETRY_SECONDS = 5

/** Deletes a user's oldest runs above the maximum. */
const trimRuns = async (proposals: ProposalModel, user_id: Types.ObjectId, session: ClientSession) => {
  const old = await proposals
    .find({ user_id }, { _id: 1 })
    .sort({ at: -1, _id: -1 })
    .skip(LIMITS.proposalsKept)
    .session(session)
    .lean<Pick<ProposalDoc, '_id'>[]>()
  if (old.length > 0) await proposals.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } }, { session })
}

type Request = BodyOf<typeof campaignsApi.propose>

const kindOf = ({ narrative_id, text }: Request): QuoteSource =>
  narrative_id !== undefined ? 'narrative' : text !== undefined ? 'text' : 'evidence'

/**
 * Stores a run that proposes techniques, and enqueues it. Of a user's runs, the latest 50 are kept.
 * @param runs limit of a user's runs
 * @throws HttpError 400 without an AI key, 404 for an unknown campaign or another user's narrative, 422 without a
 *   sentence, 429 above the limit or during another run, 503
 */
export const propose = async (
  store: Store,
  peers: Peers,
  runs: RateLimit,
  userId: string,
  campaignId: string,
  request: Request,
): Promise<string> => {
  const campaign = await findCampaign(store.campaigns, campaignId)
  const kind = kindOf(request)
  const { text, mode } = request
  const narrativeId = request.narrative_id?.toLowerCase()
  const texts = await readTexts(store, peers, { campaignId, userId, kind, narrativeId, text })
  const { sentences, omitted } = sentencesIn(texts)
  if (sentences.length === 0) throw invalid([DETAILS.noSentence])
  if (mode === 'ai') await requireAiKey(peers, userId)
  await runs.use(userId)
  const at = new Date()
  const doc: ProposalDoc = {
    _id: new Types.ObjectId(),
    campaign_id: campaign._id,
    user_id: new Types.ObjectId(userId),
    source: { kind, id: kind === 'evidence' ? null : (texts[0]?.id ?? null) },
    text_hash: hashOfTexts(texts),
    ...(text !== undefined && { text }),
    state: 'waiting',
    open: true,
    mode,
    model: null,
    list: VERSION,
    failure: null,
    items: [],
    accepted: [],
    rejected: [],
    dropped: 0,
    sentences: sentences.length,
    omitted,
    at,
    expires_at: new Date(at.getTime() + LIMITS.proposalMs),
  }
  try {
    await inTransaction(store.mongo, async session => {
      await store.proposals.insertMany([doc], { session, lean: true })
      await trimRuns(store.proposals, doc.user_id, session)
      await store.work.proposals.add({ id: doc._id.toHexString() }, { session })
    })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    await runs.refund(userId)
    throw new HttpError(429, DETAILS.proposalRunning, { 'retry-after': String(RETRY_SECONDS) })
  }
  return doc._id.toHexString()
}
