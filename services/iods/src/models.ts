import { type Connection, createQuotas, modelOf } from '@iodine/service-kit'
import type { IodsConfig } from './config.js'
import { EVIDENCE_BYTES, evidenceCountSchema, evidenceSchema } from './evidence/models/evidence.js'
import { type IodDoc, iodSchema } from './iods/models/iod.js'
import { tallySchema } from './iods/models/tally.js'
import { covoteBuildSchema, covoteSchema } from './votes/models/covote.js'

/** Quota counters per user. */
type QuotaCounter = 'iods' | 'iods_today' | 'iod_bytes' | 'evidence_bytes'

/** Returns the bytes that an IOD's texts use of its creator's quota. */
export const bytesOf = ({ value, description }: Pick<IodDoc, 'value' | 'description'>): number =>
  Buffer.byteLength(value) + Buffer.byteLength(description)

export type Limits = Pick<
  IodsConfig,
  'QUOTA_IODS' | 'QUOTA_IODS_A_DAY' | 'QUOTA_IOD_BYTES' | 'QUOTA_EVIDENCE_BYTES'
>

export const createModels = (mongo: Connection, limits: Limits) => {
  const iods = modelOf(mongo, 'Iod', iodSchema)
  const evidence = modelOf(mongo, 'Evidence', evidenceSchema)
  const quotas = createQuotas<QuotaCounter>({
    mongo,
    limits: {
      iods_today: limits.QUOTA_IODS_A_DAY,
      iods: limits.QUOTA_IODS,
      iod_bytes: limits.QUOTA_IOD_BYTES,
      evidence_bytes: limits.QUOTA_EVIDENCE_BYTES,
    },
    daily: 'iods_today',
    async owners() {
      const owners = [await iods.distinct('created_by'), await evidence.distinct('created_by')].flat()
      return [...new Map(owners.map(owner => [String(owner), owner])).values()]
    },
    async count(created_by, session, midnight) {
      const bytes = { $add: [{ $strLenBytes: '$value' }, { $strLenBytes: '$description' }] }
      const today = { $cond: [{ $gte: ['$created_at', midnight] }, 1, 0] }
      const [sums] = await iods
        .aggregate<Record<QuotaCounter, number>>([
          { $match: { created_by } },
          {
            $group: {
              _id: null,
              iods: { $sum: 1 },
              iods_today: { $sum: today },
              iod_bytes: { $sum: bytes },
            },
          },
          { $project: { _id: 0 } },
        ])
        .session(session)
      const [quoted] = await evidence
        .aggregate<Pick<Record<QuotaCounter, number>, 'evidence_bytes'>>([
          { $match: { created_by } },
          { $group: { _id: null, evidence_bytes: { $sum: EVIDENCE_BYTES } } },
          { $project: { _id: 0 } },
        ])
        .session(session)
      return { ...sums, ...quoted }
    },
  })
  return {
    mongo,
    iods,
    evidence,
    evidenceCounts: modelOf(mongo, 'EvidenceCount', evidenceCountSchema),
    tallies: modelOf(mongo, 'Tally', tallySchema),
    covotes: modelOf(mongo, 'Covote', covoteSchema),
    covoteBuilds: modelOf(mongo, 'CovoteBuild', covoteBuildSchema),
    quotas,
  }
}
export type IodModels = ReturnType<typeof createModels>
