import type { AuditState } from '@iodine/contracts'
import type { AuthModels } from '../../models.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'
import type { AuditHeadDoc } from '../models/audit-state.js'
import { type ChainPosition, chainHash, GENESIS } from '../policies/audit-chain.js'

const BATCH = 500

/** Returns the entry of the last removal of old entries; null if there was none. */
export const lastCheckpoint = ({ auditEntries }: Pick<AuthModels, 'auditEntries'>) =>
  auditEntries.findOne({ 'entry.action': 'audit.expired' }).sort({ seq: -1 }).lean<AuditEntryDoc>()

/** Returns true if the entry matches its hash and its indexed copies match the entry. */
const isUnchanged = ({ _id, created_at, seq, prev, hash, entry }: AuditEntryDoc): boolean =>
  hash === chainHash(entry, seq, prev) &&
  _id.toHexString() === entry.id &&
  created_at.toISOString() === entry.at

type Models = Pick<AuthModels, 'auditEntries' | 'auditHead'>

/** Returns the position before the first stored entry. */
const startOf = async (models: Models): Promise<ChainPosition> =>
  (await lastCheckpoint(models))?.entry.checkpoint ?? GENESIS

const checkFrom = async (
  models: Models,
  start: ChainPosition,
  noted: ChainPosition | undefined,
): Promise<AuditState> => {
  // Read before the entries: entries appended meanwhile come after it.
  const head = await models.auditHead.findById('head').lean<AuditHeadDoc>()
  let last: ChainPosition = start
  let since: string | null = null
  let fault: AuditState['fault'] = null
  const isOther = ({ seq, hash }: ChainPosition, position: ChainPosition | null | undefined) =>
    position?.seq === seq && position.hash !== hash
  const faultOf = (doc: AuditEntryDoc): AuditState['fault'] => {
    if (doc.seq !== last.seq + 1) return { seq: last.seq + 1, kind: 'missing' }
    if (!isUnchanged(doc)) return { seq: doc.seq, kind: 'changed' }
    if (doc.prev !== last.hash) return { seq: doc.seq, kind: 'moved' }
    return isOther(doc, noted) || isOther(doc, head) ? { seq: doc.seq, kind: 'changed' } : null
  }
  // Of the last removed entry only the hash is known.
  if (isOther(start, noted)) fault = { seq: start.seq, kind: 'changed' }
  const docs = models.auditEntries
    .find({ seq: { $gt: start.seq } })
    .sort({ seq: 1 })
    .lean<AuditEntryDoc[]>()
    .cursor({ batchSize: BATCH })
  for await (const doc of docs as AsyncIterable<AuditEntryDoc>) {
    fault ??= faultOf(doc)
    if (fault) break
    since ??= doc.entry.at
    last = { seq: doc.seq, hash: doc.hash }
  }
  const end = Math.max(head?.seq ?? 0, noted?.seq ?? 0)
  if (!fault && end > last.seq) fault = { seq: last.seq + 1, kind: 'missing' }
  return {
    fault,
    entries: last.seq - start.seq,
    since,
    head: { seq: last.seq, hash: last.hash },
    checked_at: new Date().toISOString(),
  }
}

/**
 * Verifies the whole chain: each entry is present, matches its hash and follows the previous one, and the end is the
 * expected one. Stops at the first fault.
 * @param noted an earlier end, stored outside of the database
 */
export const verifyChain = async (models: Models, noted?: ChainPosition): Promise<AuditState> => {
  for (let start = await startOf(models); ; ) {
    const state = await checkFrom(models, start, noted)
    if (!state.fault) return state
    // The removal of old entries during the verification looks like a fault: it restarts after them.
    const now = await startOf(models)
    if (now.seq === start.seq) return state
    start = now
  }
}

/** A result is cached for this multiple of its duration: a long log is verified less often. */
const CACHE_FACTOR = 20
const CACHE_MAX_MS = 300_000

/** Creates the function that returns the state of the chain. Callers share a verification, whose result is cached. */
export const createChainState = (models: Models) => {
  let check: { state: Promise<AuditState>; until: number } | undefined
  return (): Promise<AuditState> => {
    if (check && Date.now() < check.until) return check.state
    const begun = performance.now()
    const current = { state: verifyChain(models), until: Number.POSITIVE_INFINITY }
    check = current
    current.state.then(
      () => {
        current.until = Date.now() + Math.min(CACHE_MAX_MS, CACHE_FACTOR * (performance.now() - begun))
      },
      () => {
        check = undefined
      },
    )
    return current.state
  }
}
