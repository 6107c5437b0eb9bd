import {
  type BodyOf,
  type CheckedQuote,
  capturesInternal,
  DETAILS,
  type evidenceApi,
  narrativesInternal,
} from '@iodine/contracts'
import { hashOf, invalid, notFound, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { IodDoc } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import type { EvidenceDoc } from '../models/evidence.js'
import { quoteRelation } from '../policies/quote-relation.js'
import { storeEvidence } from './store-evidence.js'

type Input = BodyOf<typeof evidenceApi.addEvidence>

/** Timeout of a quote check, which may load a text of a million characters from the blob store. */
const CHECK_MS = 10_000

/** Has the service that owns the source check the quote. Throws its 404, 409 or 422, or 503 while it is down. */
const checkQuote = (peers: Peers, user_id: string, input: Input): Promise<CheckedQuote> => {
  const { capture_id, record, narrative_id, role, pointer, start, end, exact } = input
  const quote = { user_id, start, end, exact }
  if (narrative_id !== undefined)
    return peers.call('narratives', narrativesInternal.checkQuote, {
      params: { id: narrative_id },
      body: quote,
      ms: CHECK_MS,
    })
  return peers.call('collector', capturesInternal.checkQuote, {
    body: { ...quote, role, pointer, ...(capture_id && { capture_id }), ...(record && { record }) },
    ms: CHECK_MS,
  })
}

/**
 * Stores a quote as evidence of an IOD.
 * @throws HttpError 404 for an unknown IOD or a source that the user may not read, 409 for an unsealed source or a
 *   quote that the IOD has already, 413 past a limit, 422 if the source lacks the quote or the quote is unrelated to
 *   the IOD, 503 while the service that owns the source is down
 */
export const addEvidence = async (
  models: IodModels,
  peers: Peers,
  userId: string,
  iodId: string,
  input: Input,
): Promise<EvidenceDoc> => {
  const iod = await models.iods.findById(iodId, { value: 1, category: 1 }).lean<IodDoc>()
  if (!iod) throw notFound()
  const checked = await checkQuote(peers, userId, input)
  const relation = quoteRelation(iod, input.exact)
  if (!relation) throw invalid([DETAILS.unrelatedQuote])
  const { pointer, start, end, exact, record, narrative_id } = input
  const isNarrative = narrative_id !== undefined
  const { capture_id, ...rest } = checked
  const doc = {
    _id: new Types.ObjectId(),
    iod_id: iod._id,
    ...rest,
    capture_id: capture_id === null ? null : new Types.ObjectId(capture_id),
    role: isNarrative ? 'text' : input.role,
    pointer: isNarrative ? '' : pointer,
    start,
    end,
    exact,
    relation,
    quote_key:
      checked.manifest_hash === null
        ? hashOf(JSON.stringify([checked.kind, narrative_id ?? record?.id, pointer, start, end, exact]))
        : null,
    created_by: new Types.ObjectId(userId),
    created_at: new Date(),
  } satisfies EvidenceDoc
  await storeEvidence(models, doc)
  return doc
}
