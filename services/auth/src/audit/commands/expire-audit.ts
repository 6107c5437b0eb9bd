import { LIMITS } from '@iodine/contracts'
import { newAuditEntry } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { derivedId } from '../../derived-id.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'
import { lastCheckpoint } from '../queries/audit-chain.js'

/** Minimum interval between removals: each removal appends an entry. */
const EVERY_MS = 24 * 3_600_000

/**
 * Removes the entries at the beginning of the chain that are older than `LIMITS.auditMs`, up to the first younger one.
 * An entry records the last removed position with its hash: the remaining chain is verified from there.
 * @returns the number of removed entries
 */
export const expireAudit = async (
  { models, appendAudit }: Pick<AuthContext, 'models' | 'appendAudit'>,
  now = Date.now(),
): Promise<number> => {
  const { auditEntries } = models
  const begun = await lastCheckpoint(models)
  if (!begun || begun.created_at.getTime() <= now - EVERY_MS) {
    const young = await auditEntries
      .findOne({ created_at: { $gt: new Date(now - LIMITS.auditMs) } }, { seq: 1 })
      .sort({ seq: 1 })
      .lean<AuditEntryDoc>()
    const past = await auditEntries
      .findOne(young ? { seq: { $lt: young.seq } } : {})
      .sort({ seq: -1 })
      .lean<AuditEntryDoc>()
    const from = begun?.entry.checkpoint?.seq ?? 0
    if (past && past.seq > from) {
      const what = {
        action: 'audit.expired',
        subject: { kind: 'deployment' },
        count: past.seq - from,
      } as const
      const checkpoint = { seq: past.seq, hash: past.hash }
      // Concurrent replicas append one entry.
      const id = derivedId('audit.expired', past.hash)
      await appendAudit([{ ...newAuditEntry('system', what), id, checkpoint }])
    }
  }
  const checkpoint = (await lastCheckpoint(models))?.entry.checkpoint
  const expired = { seq: { $lte: checkpoint?.seq ?? 0 } }
  return (await auditEntries.exists(expired)) ? (await auditEntries.deleteMany(expired)).deletedCount : 0
}
