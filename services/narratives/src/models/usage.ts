import { type Amounts, type Connection, createQuotas, type Quotas } from '@iodine/service-kit'
import type { Model } from 'mongoose'
import type { NarrativesConfig } from '../config.js'
import type { NarrativeDoc, NarrativeState } from './narrative.js'

/** Amounts in a user's quota: number of narratives, and bytes of their texts. */
export type Counted = 'narratives' | 'bytes'

/** The states in which a narrative counts towards the quota. */
export const KEPT: NarrativeState[] = ['open', 'done']

/** A narrative's amounts. */
export const usageOf = ({ text }: Pick<NarrativeDoc, 'text'>): Required<Amounts<Counted>> => ({
  narratives: 1,
  bytes: Buffer.byteLength(text),
})

/** The amounts that a narrative's end returns to the quota. */
export const givenBack = (narrative: Pick<NarrativeDoc, 'text'>): Amounts<Counted> => ({
  narratives: -1,
  bytes: -usageOf(narrative).bytes,
})

export const createNarrativeQuotas = (
  mongo: Connection,
  narratives: Model<NarrativeDoc>,
  { QUOTA_NARRATIVES }: Pick<NarrativesConfig, 'QUOTA_NARRATIVES'>,
): Quotas<Counted> =>
  createQuotas<Counted>({
    mongo,
    limits: { narratives: QUOTA_NARRATIVES },
    owners: () => narratives.distinct('user_id'),
    async count(user_id, session) {
      const [sums] = await narratives
        .aggregate<Record<Counted, number>>([
          { $match: { user_id, state: { $in: KEPT } } },
          { $group: { _id: null, narratives: { $sum: 1 }, bytes: { $sum: { $strLenBytes: '$text' } } } },
          { $project: { _id: 0 } },
        ])
        .session(session)
      return sums ?? {}
    },
  })
