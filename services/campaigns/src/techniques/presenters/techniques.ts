import type { CampaignTechnique, TechniqueProposals, TechniqueQuote } from '@iodine/contracts'
import { findTechnique } from '@iodine/exchange/disarm'
import type { UserDirectory } from '@iodine/service-kit'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { ProposalDoc } from '../models/proposal.js'
import type { TechniqueQuoteDoc } from '../models/technique-quote.js'
import type { QuoteCount } from '../queries/quotes.js'
import type { SourceText } from '../queries/source-texts.js'

/** Presents a campaign's techniques to clients, in the given order, with current usernames. */
export const presentTechniques = async (
  users: UserDirectory,
  techniques: TechniqueDoc[],
  counts: ReadonlyMap<string, QuoteCount>,
): Promise<CampaignTechnique[]> => {
  const names = await users.usernames(techniques.flatMap(({ by }) => by?.toHexString() ?? []))
  return techniques.map(({ id, by, at }) => ({
    id,
    by: by?.toHexString() ?? null,
    by_username: (by && names.get(by.toHexString())) ?? null,
    at: at.toISOString(),
    until: findTechnique(id)?.until ?? null,
    quotes: counts.get(id)?.quotes ?? 0,
    iods: counts.get(id)?.iods ?? 0,
  }))
}

/** Presents quotes of techniques, with current usernames. */
export const presentQuotes = async (
  users: UserDirectory,
  quotes: TechniqueQuoteDoc[],
): Promise<TechniqueQuote[]> => {
  const names = await users.usernames(quotes.flatMap(({ by }) => by?.toHexString() ?? []))
  return quotes.map(
    ({ _id, tid, source, iod_id, start, end, exact, prefix, suffix, url, by, at }): TechniqueQuote => ({
      id: _id.toHexString(),
      tid,
      source: { kind: source.kind, id: source.kind === 'text' ? null : source.id },
      iod_id: iod_id?.toHexString() ?? null,
      start,
      end,
      exact,
      prefix,
      suffix,
      url,
      by: by?.toHexString() ?? null,
      by_username: (by && names.get(by.toHexString())) ?? null,
      at: at.toISOString(),
    }),
  )
}

/** Presents a run. Proposals whose text is absent are omitted. */
export const presentProposals = (
  { _id, state, mode, model, list, failure, items, accepted, rejected, ...counts }: ProposalDoc,
  texts: readonly SourceText[],
): TechniqueProposals => {
  const byId = new Map(texts.map(({ id, text }) => [id, text]))
  const decisionOf = (tid: string) =>
    accepted.includes(tid) ? 'accepted' : rejected.includes(tid) ? 'rejected' : null
  return {
    id: _id.toHexString(),
    state,
    mode,
    model,
    list,
    failure,
    items: items.flatMap(({ tid, source_id, start, end }) => {
      const text = byId.get(source_id)
      return text === undefined
        ? []
        : [{ tid, exact: text.slice(start, end), start, end, decision: decisionOf(tid) }]
    }),
    dropped: counts.dropped,
    sentences: counts.sentences,
    omitted: counts.omitted,
  }
}
