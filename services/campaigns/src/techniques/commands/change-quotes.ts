import { DETAILS, LIMITS } from '@iodine/contracts'
import { contextOf } from '@iodine/evidence'
import { forbidden, HttpError, notFound } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { CampaignModels } from '../../models.js'
import type { TechniqueQuoteDoc, TechniqueQuoteModel } from '../models/technique-quote.js'
import type { SourceText } from '../queries/source-texts.js'

/** Returns the quote of a range of a text. */
export const quoteOf = (
  { kind, id, text, url, iod_id, capture_id }: SourceText,
  { tid, start, end }: { tid: string; start: number; end: number },
  { campaignId, userId, at }: { campaignId: Types.ObjectId; userId: Types.ObjectId; at: Date },
): TechniqueQuoteDoc => ({
  _id: new Types.ObjectId(),
  campaign_id: campaignId,
  tid,
  source: { kind, id },
  iod_id: iod_id === null ? null : new Types.ObjectId(iod_id),
  capture_id: capture_id === null ? null : new Types.ObjectId(capture_id),
  start,
  end,
  exact: text.slice(start, end),
  ...contextOf(text, start, end),
  url,
  by: userId,
  at,
})

/**
 * Adds quotes that the campaign lacks, up to the maximum of each technique. The caller's transaction changes the
 * campaign, which makes concurrent ones retry.
 * @throws HttpError 413 above the maximum of the campaign
 */
export const addQuotes = async (
  { campaigns, techniqueQuotes }: Pick<CampaignModels, 'campaigns' | 'techniqueQuotes'>,
  campaign_id: Types.ObjectId,
  quotes: readonly TechniqueQuoteDoc[],
  session: ClientSession,
): Promise<void> => {
  const tids = [...new Set(quotes.map(({ tid }) => tid))]
  const present = await techniqueQuotes
    .find({ campaign_id, tid: { $in: tids } }, { tid: 1, source: 1, start: 1, end: 1 })
    .session(session)
    .lean<Pick<TechniqueQuoteDoc, 'tid' | 'source' | 'start' | 'end'>[]>()
  const keyOf = ({ tid, source, start, end }: (typeof present)[number]) =>
    JSON.stringify([tid, source.kind, source.id, start, end])
  const known = new Set(present.map(keyOf))
  const counts = new Map<string, number>()
  for (const { tid } of present) counts.set(tid, (counts.get(tid) ?? 0) + 1)
  const fresh = quotes.filter(quote => {
    const count = counts.get(quote.tid) ?? 0
    if (known.has(keyOf(quote)) || count >= LIMITS.techniqueQuotesMax) return false
    known.add(keyOf(quote))
    counts.set(quote.tid, count + 1)
    return true
  })
  if (fresh.length === 0) return
  const total = await techniqueQuotes.countDocuments({ campaign_id }).session(session)
  if (total + fresh.length > LIMITS.campaignQuotesMax) throw new HttpError(413, DETAILS.quotesFull)
  await campaigns.updateOne({ _id: campaign_id }, { $set: { quoted_at: new Date() } }, { session })
  await techniqueQuotes.insertMany(fresh, { session, lean: true })
}

/** Moves the quotes of a technique to others, as `addQuotes`. */
export const moveQuotes = async (
  models: Pick<CampaignModels, 'campaigns' | 'techniqueQuotes'>,
  campaignId: string,
  tid: string,
  to: readonly string[],
  session: ClientSession,
): Promise<void> => {
  const campaign_id = new Types.ObjectId(campaignId)
  const wanted = { campaign_id, tid }
  const moved = await models.techniqueQuotes.find(wanted).session(session).lean<TechniqueQuoteDoc[]>()
  await models.techniqueQuotes.deleteMany(wanted, { session })
  const copies = to.flatMap(each => moved.map(quote => ({ ...quote, _id: new Types.ObjectId(), tid: each })))
  await addQuotes(models, campaign_id, copies, session)
}

/** Deletes a quote that the user has added, or any one of the user's campaign. Throws 404, or 403 for another user's. */
export const deleteQuote = async (
  { campaigns, techniqueQuotes }: Pick<CampaignModels, 'campaigns' | 'techniqueQuotes'>,
  userId: string,
  campaignId: string,
  tid: string,
  id: string,
): Promise<void> => {
  const user = new Types.ObjectId(userId)
  const wanted = { _id: id, campaign_id: new Types.ObjectId(campaignId), tid }
  const isOwner = await campaigns.exists({ _id: campaignId, created_by: user })
  const { deletedCount } = await techniqueQuotes.deleteOne({ ...wanted, ...(!isOwner && { by: user }) })
  if (deletedCount > 0) return
  throw (await techniqueQuotes.exists(wanted)) ? forbidden() : notFound()
}

/**
 * Deletes quotes for the team, regardless of who added them. Resolves to the number of deleted quotes.
 * @param id of a quote, or of the evidence, capture or narrative that is quoted
 */
export const redactQuotes = async (quotes: TechniqueQuoteModel, id: string): Promise<number> => {
  const oid = new Types.ObjectId(id)
  const { deletedCount } = await quotes.deleteMany({
    $or: [{ _id: oid }, { 'source.id': id.toLowerCase() }, { capture_id: oid }],
  })
  return deletedCount
}
