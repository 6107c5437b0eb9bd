import type { BodyOf, evidenceApi, ImportedQuote, ResponseOf } from '@iodine/contracts'
import { HttpError, hashOf, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { IodDoc } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import type { EvidenceDoc } from '../models/evidence.js'
import { quoteRelation } from '../policies/quote-relation.js'
import { EvidenceFull, storeEvidence } from './store-evidence.js'

type Quoted = Pick<ImportedQuote, 'url' | 'pointer' | 'start' | 'end' | 'exact'>

/** Returns the key of a quote, which does not depend on the exporting system. */
const keyOf = ({ url, pointer, start, end, exact }: Quoted): string =>
  hashOf(JSON.stringify(['imported', url, pointer, start, end, exact]))

/**
 * Adds quotes of another system's export as unchecked evidence, in their order. Quotes that the IOD already has,
 * checked or not, count as `known`. After an error a repeated call adds the rest.
 * @param added receives the number of added quotes after each addition
 * @throws HttpError 404 for an unknown IOD, 413 when the user's quota is full
 */
export const importEvidence = async (
  models: IodModels,
  userId: string,
  iodId: string,
  { quotes }: BodyOf<typeof evidenceApi.importEvidence>,
  added: (count: number) => void = () => {},
): Promise<ResponseOf<typeof evidenceApi.importEvidence>> => {
  const iod = await models.iods.findById(iodId, { value: 1, category: 1 }).lean<IodDoc>()
  if (!iod) throw notFound()
  const stored = await models.evidence.find({ iod_id: iod._id }).lean<EvidenceDoc[]>()
  const keys = new Set(stored.map(keyOf))
  const counts = { added: 0, known: 0, left_out: 0 }
  for (const quote of quotes) {
    const quote_key = keyOf(quote)
    const relation = quoteRelation(iod, quote.exact)
    if (keys.has(quote_key)) counts.known++
    else if (!relation) counts.left_out++
    else {
      const doc = {
        _id: new Types.ObjectId(),
        iod_id: iod._id,
        kind: 'imported' as const,
        ...quote,
        capture_id: null,
        relation,
        manifest_hash: null,
        seq: null,
        quote_key,
        created_by: new Types.ObjectId(userId),
        created_at: new Date(),
      }
      const result = await storeEvidence(models, doc).then(
        () => 'added' as const,
        (error: unknown) => {
          if (error instanceof EvidenceFull) return 'left_out' as const
          // Another request has imported it meanwhile.
          if (error instanceof HttpError && error.status === 409) return 'known' as const
          throw error
        },
      )
      counts[result]++
      if (result === 'added') added(counts.added)
      keys.add(quote_key)
    }
  }
  return counts
}
