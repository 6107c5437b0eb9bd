import {
  authInternal,
  type BodyOf,
  type campaignsApi,
  DETAILS,
  LIMITS,
  type QuoteSource,
} from '@iodine/contracts'
import { VERSION } from '@iodine/exchange/disarm'
import {
  badRequest,
  HttpError,
  inTransaction,
  invalid,
  isDuplicateKey,
  isNotFound,
  type Peers,
  type RateLimit,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import { findCampaign } from '../../campaigns/queries/campaign-detail.js'
import type { Store } from '../../models.js'
import type { ProposalDoc } from '../models/proposal.js'
import { hashOfTexts, readTexts, sentencesIn } from '../queries/source-texts.js'

/** `Retry-After` in seconds during another run. */
const RETRY_SECONDS = 5
/** Timeout of the key request, long enough for a busy machine. */
const KEY_MS = 10_000

/** Throws 400 for a user without an AI key. */
const requireAiKey = async (peers: Peers, userId: string): Promise<void> => {
  const { sealed } = await peers
    .call('auth', authInternal.getSealedAiKey, { params: { id: userId }, ms: KEY_MS })
    .catch(error => {
      if (isNotFound(error)) return { sealed: null }
      throw error
    })
  if (sealed === null) throw badRequest(DETAILS.missingAiKey)
}

type Request = BodyOf<typeof campaignsApi.propose>

const kindOf = ({ narrative_id, text }: Request): QuoteSource =>
  narrative_id !== undefined ? 'narrative' : text !== undefined ? 'text' : 'evidence'

/**
 * Stores a run that proposes techniques, and enqueues it.
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
      await store.work.proposals.add({ id: doc._id.toHexString() }, { session })
    })
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    await runs.refund(userId)
    throw new HttpError(429, DETAILS.proposalRunning, { 'retry-after': String(RETRY_SECONDS) })
  }
  return doc._id.toHexString()
}
