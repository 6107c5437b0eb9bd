import { type Evidence, isHttpUrl, LIMITS, narrativesInternal, type QuoteSource } from '@iodine/contracts'
import { sentencesOf } from '@iodine/evidence'
import { hashOf, type Peers } from '@iodine/service-kit'
import { findCampaign } from '../../campaigns/queries/campaign-detail.js'
import { readEvidence } from '../../campaigns/queries/campaign-evidence.js'
import type { CampaignModels } from '../../models.js'
import type { ReadSentence } from '../policies/proposed.js'

/** A text that proposals rest on. */
export interface SourceText {
  kind: QuoteSource
  /** Id of the narrative or evidence; the hash of a pasted text. */
  id: string
  text: string
  url: string | null
  iod_id: string | null
  capture_id: string | null
}

/** Texts that a run reads. */
export interface TextSource {
  campaignId: string
  userId: string
  kind: QuoteSource
  /** Id of the narrative. */
  narrativeId?: string | undefined
  /** The pasted text. */
  text?: string | undefined
}

/** Pieces of evidence that a run reads. */
const EVIDENCE_MAX = 500

const ofEvidence = ({ id, exact, url, iod_id, capture_id }: Evidence): SourceText => ({
  kind: 'evidence',
  id,
  text: exact,
  url,
  iod_id,
  capture_id,
})

/**
 * Reads the texts of a run as its user may read them: a narrative, a pasted text, or the evidence of the campaign's
 * IODs up to 50,000 characters.
 * @throws HttpError 404 for another user's or a deleted narrative and an unknown campaign, 503
 */
export const readTexts = async (
  { campaigns }: Pick<CampaignModels, 'campaigns'>,
  peers: Peers,
  { campaignId, userId, kind, narrativeId = '', text = '' }: TextSource,
): Promise<SourceText[]> => {
  const none = { url: null, iod_id: null, capture_id: null }
  if (kind === 'text') return [{ kind, id: hashOf(text), text, ...none }]
  if (kind === 'narrative') {
    const narrative = await peers.call('narratives', narrativesInternal.getText, {
      params: { id: narrativeId },
      body: { user_id: userId },
    })
    const url = narrative.src !== null && isHttpUrl(narrative.src) ? narrative.src : null
    return [{ ...none, kind, id: narrativeId, text: narrative.text, url }]
  }
  const campaign = await findCampaign(campaigns, campaignId)
  const texts: SourceText[] = []
  let units = 0
  for await (const evidence of readEvidence(peers, campaign, userId, EVIDENCE_MAX)) {
    units += evidence.exact.length
    if (texts.length === EVIDENCE_MAX || units > LIMITS.narrativeTextMax) break
    texts.push(ofEvidence(evidence))
  }
  return texts
}

/** Returns the hash of texts, which identifies them in later runs. */
export const hashOfTexts = (texts: readonly SourceText[]): string =>
  hashOf(JSON.stringify(texts.map(({ kind, id, text }) => [kind, id, text])))

/** Splits texts into sentences. Returns those that a run reads, and the number of those above the limit. */
export const sentencesIn = (texts: readonly SourceText[]): { sentences: ReadSentence[]; omitted: number } => {
  const all = texts.flatMap(({ id, text }) =>
    sentencesOf(text).map(({ start, end }) => ({
      source_id: id,
      start,
      end,
      exact: text.slice(start, end),
    })),
  )
  const sentences = all.slice(0, LIMITS.proposalSentences)
  return { sentences, omitted: all.length - sentences.length }
}
