import {
  type BodyOf,
  type CheckedQuote,
  DETAILS,
  isHttpUrl,
  type narrativesInternal,
} from '@iodine/contracts'
import { contextOf } from '@iodine/evidence'
import { invalid, notFound } from '@iodine/service-kit'
import type { Store } from '../../store.js'

/**
 * Checks that a narrative contains the quote at its position.
 * @throws HttpError 404 for another user's narrative, 422 for a quote that differs
 */
export const checkQuote = async (
  { narratives }: Pick<Store, 'narratives'>,
  id: string,
  { user_id, start, end, exact }: BodyOf<typeof narrativesInternal.checkQuote>,
): Promise<CheckedQuote> => {
  const narrative = await narratives.findOne({ _id: id, user_id, state: 'done' }).lean()
  if (!narrative) throw notFound()
  const { text, src, created_at } = narrative
  // A well-formed quote splits no surrogate pair of the text.
  if (start < 0 || text.slice(start, end) !== exact || !exact.isWellFormed())
    throw invalid([DETAILS.quoteNotThere])
  return {
    kind: 'narrative',
    capture_id: null,
    ...contextOf(text, start, end),
    manifest_hash: null,
    seq: null,
    url: src !== null && isHttpUrl(src) ? src : null,
    captured_at: created_at.toISOString(),
  }
}
