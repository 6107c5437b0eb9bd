import { type Amounts, createQuotas, type Quotas } from '@iodine/service-kit'
import type { NarrativesConfig } from '../../config.js'
import type { NarrativeModels } from '../../models.js'
import type { NarrativeDoc, NarrativeState } from './narrative.js'

/** Amounts in a user's quota: number of narratives, bytes of their texts, rules of canonical narratives. */
export type QuotaCounter = 'narratives' | 'bytes' | 'canon_rules'

/** States in which a narrative counts towards the quota. */
export const COUNTED_STATES: NarrativeState[] = ['open', 'done']

/** Returns a narrative's amounts in the quota. */
export const usageOf = ({ text }: Pick<NarrativeDoc, 'text'>): Required<Amounts<'narratives' | 'bytes'>> => ({
  narratives: 1,
  bytes: Buffer.byteLength(text),
})

/** Returns the amounts that a narrative's removal or failure releases. */
export const releasedUsage = (narrative: Pick<NarrativeDoc, 'text'>): Amounts<QuotaCounter> => ({
  narratives: -1,
  bytes: -usageOf(narrative).bytes,
})

export const createNarrativeQuotas = (
  { mongo, narratives, canonRules }: Pick<NarrativeModels, 'mongo' | 'narratives' | 'canonRules'>,
  { QUOTA_NARRATIVES, QUOTA_CANON_RULES }: Pick<NarrativesConfig, 'QUOTA_NARRATIVES' | 'QUOTA_CANON_RULES'>,
): Quotas<QuotaCounter> =>
  createQuotas<QuotaCounter>({
    mongo,
    limits: { narratives: QUOTA_NARRATIVES, canon_rules: QUOTA_CANON_RULES },
    // An owner in both lists is counted once.
    owners: async () => [
      ...(await narratives.distinct('user_id')),
      ...(await canonRules.distinct('user_id')),
    ],
    async count(user_id, session) {
      const [sums] = await narratives
        .aggregate<Record<'narratives' | 'bytes', number>>([
          { $match: { user_id, state: { $in: COUNTED_STATES } } },
          { $group: { _id: null, narratives: { $sum: 1 }, bytes: { $sum: { $strLenBytes: '$text' } } } },
          { $project: { _id: 0 } },
        ])
        .session(session)
      const canon_rules = user_id ? await canonRules.countDocuments({ user_id }, { session }) : 0
      return { ...sums, ...(canon_rules > 0 && { canon_rules }) }
    },
  })
