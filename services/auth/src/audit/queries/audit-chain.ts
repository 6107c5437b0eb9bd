import type { AuditState } from '@iodine/contracts'
import type { AuthModels } from '../../models.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'
import type { AuditHeadDoc } from '../models/audit-state.js'
import { type ChainPlace, chainHash, GENESIS } from '../policies/audit-chain.js'

const BATCH = 500

/** The entry of the last removal of old entries; null if there was none. */
export const lastCheckpoint = ({ auditEntries }: Pick<AuthModels, 'auditEntries'>) =>
  auditEntries.findOne({ 'entry.action': 'audit.expired' }).sort({ seq: -1 }).lean<AuditEntryDoc>()

/** True if an entry is what its hash says, and its copies for lists are its own. */
const isUnchanged = ({ _id, created_at, seq, prev, hash, entry }: AuditEntryDoc): boolean =>
  hash === chainHash(entry, seq, prev) &&
  _id.toHexString() === entry.id &&
  created_at.toISOString() === entry.at

type Models = Pick<AuthModels, 'auditEntries' | 'auditHead'>

/** The place before the first entry that is kept. */
const startOf = async (models: Models): Promise<ChainPlace> =>
  (await lastCheckpoint(models))?.entry.checkpoint ?? GENESIS

const checkFrom = async (
  models: Models,
  start: ChainPlace,
  noted: ChainPlace | undefined,
): Promise<AuditState> => {
  // Read before the entries: what is appended meanwhile comes after it.
  const head = await models.auditHead.findById('head').lean<AuditHeadDoc>()
  let last: ChainPlace = start
  let since: string | null = null
  let fault: AuditState['fault'] = null
  const isOther = ({ seq, hash }: ChainPlace, place: ChainPlace | null | undefined) =>
    place?.seq === seq && place.hash !== hash
  const faultOf = (doc: AuditEntryDoc): AuditState['fault'] => {
    if (doc.seq !== last.seq + 1) return { seq: last.seq + 1, kind: 'missing' }
    if (!isUnchanged(doc)) return { seq: doc.seq, kind: 'changed' }
    if (doc.prev !== last.hash) return { seq: doc.seq, kind: 'moved' }
    return isOther(doc, noted) || isOther(doc, head) ? { seq: doc.seq, kind: 'changed' } : null
  }
  // The last removed entry is known by its hash alone.
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
 * Checks the whole chain: that each entry is there, is what its hash says, and follows the one before; and that its end is
 * the one that was noted. Ends at the first fault.
 * @param noted the end at an earlier time, kept elsewhere
 */
export const verifyChain = async (models: Models, noted?: ChainPlace): Promise<AuditState> => {
  for (let start = await startOf(models); ; ) {
    const state = await checkFrom(models, start, noted)
    if (!state.fault) return state
    // Old entries that are removed during a check look like a fault: it begins again after them.
    const now = await startOf(models)
    if (now.seq === start.seq) return state
    start = now
  }
}

/** The share of the time that checks may take: a long log is checked less often. */
const TIMES_AS_LONG = 20
const KEPT_MAX_MS = 300_000

/** The state of the chain by a check that is shared, and kept for a time that grows with the log. */
export const createChainState = (models: Models) => {
  let check: { state: Promise<AuditState>; until: number } | undefined
  return (): Promise<AuditState> => {
    if (check && Date.now() < check.until) return check.state
    const begun = performance.now()
    const mine = { state: verifyChain(models), until: Number.POSITIVE_INFINITY }
    check = mine
    mine.state.then(
      () => {
        mine.until = Date.now() + Math.min(KEPT_MAX_MS, TIMES_AS_LONG * (performance.now() - begun))
      },
      () => {
        check = undefined
      },
    )
    return mine.state
  }
}
