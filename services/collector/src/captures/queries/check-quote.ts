import {
  type BodyOf,
  type CheckedQuote,
  type capturesInternal,
  DETAILS,
  isHttpUrl,
  type RecordOf,
  type Source,
  statedUrl,
} from '@iodine/contracts'
import { contextOf, pointerValue, splitsCharacter } from '@iodine/evidence'
import { conflict, invalid, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { RecordDoc } from '../../records/models/record.js'
import { presentRecords, witnessedTime } from '../../records/presenters/record.js'
import type { CollectorStore } from '../../store.js'
import { type Blobs, blobKey } from '../blobs/index.js'
import type { CaptureDoc } from '../models/capture.js'
import { type ReadableCapture, readableCapture } from '../policies/read-capture.js'

type Quote = BodyOf<typeof capturesInternal.checkQuote>
type QuoteRange = Pick<Quote, 'start' | 'end' | 'exact'>

/** Sealed captures of a record that are searched for a quote, newest first. */
const CAPTURES_MAX = 5

const hasQuote = (text: string | undefined, { start, end, exact }: QuoteRange): text is string =>
  text !== undefined &&
  text.slice(start, end) === exact &&
  !splitsCharacter(text, start) &&
  !splitsCharacter(text, end)

/** Returns a text of a capture, either its text projection or a field of its record; undefined if absent. */
const textOf = async (
  blobs: Blobs,
  { _id, manifest }: ReadableCapture,
  role: Quote['role'],
  pointer: string,
): Promise<string | undefined> => {
  const blob = manifest.blobs.find(each => each.role === role)
  if (!blob || (role !== 'text' && role !== 'record')) return undefined
  const bytes = await blobs.get(blobKey(_id.toHexString(), blob.sha256))
  if (!bytes) return undefined
  const text = new TextDecoder().decode(bytes)
  if (role === 'record') return pointerValue(JSON.parse(text), pointer)
  return pointer === '' ? text : undefined
}

const quotedFrom = (capture: ReadableCapture, text: string, { start, end }: QuoteRange): CheckedQuote => ({
  kind: 'capture',
  capture_id: capture._id.toHexString(),
  ...contextOf(text, start, end),
  manifest_hash: capture.manifest_hash,
  seq: capture.seq ?? null,
  url: capture.url,
  captured_at: capture.captured_at,
})

const urlOf = <S extends Source>(source: S, record: RecordOf[S]): string | null => {
  const url = (statedUrl[source] as (record: RecordOf[S]) => string | null | undefined)(record)
  return url && isHttpUrl(url) ? url : null
}

/** Checks a quote of a record against its sealed captures, then against the stored record. */
const checkRecord = async (
  { records, captures, blobs }: CollectorStore,
  quote: Quote,
  { source, id }: { source: Source; id: string },
): Promise<CheckedQuote> => {
  const user_id = new Types.ObjectId(quote.user_id)
  const doc = await records.findOne({ _id: id, user_id, source }).lean<RecordDoc>()
  if (!doc) throw notFound()
  const sealed = await captures
    .find({ user_id, record_id: doc._id, state: 'sealed' })
    .sort({ created_at: -1, _id: -1 })
    .limit(CAPTURES_MAX)
    .lean<CaptureDoc[]>()
  for (const capture of sealed as ReadableCapture[]) {
    const text = await textOf(blobs, capture, 'record', quote.pointer)
    if (hasQuote(text, quote)) return quotedFrom(capture, text, quote)
  }
  const [record] = presentRecords([doc])
  const text = pointerValue(record, quote.pointer)
  if (!hasQuote(text, quote)) throw invalid([DETAILS.quoteNotThere])
  return {
    kind: 'record',
    capture_id: null,
    ...contextOf(text, quote.start, quote.end),
    manifest_hash: null,
    seq: null,
    url: urlOf(source, record as never),
    captured_at: (witnessedTime(doc) ?? doc.created_at).toISOString(),
  }
}

/**
 * Checks that a capture or a record contains the quote at its position. A quote of a record refers to the user's newest
 * sealed capture that contains it, if any.
 * @throws HttpError 404 for an unreadable capture or record, 409 for an open capture, 422 for a quote that differs
 */
export const checkQuote = async (store: CollectorStore, quote: Quote): Promise<CheckedQuote> => {
  const { user_id, capture_id, record, role, pointer } = quote
  if (record) {
    if (role !== 'record') throw invalid(['role: must be record'])
    return checkRecord(store, quote, record)
  }
  if (capture_id === undefined) throw notFound()
  const capture = await readableCapture(store, user_id, capture_id)
  if (capture.state !== 'sealed') throw conflict(DETAILS.notSealed)
  const text = await textOf(store.blobs, capture, role, pointer)
  if (!hasQuote(text, quote)) throw invalid([DETAILS.quoteNotThere])
  return quotedFrom(capture, text, quote)
}
