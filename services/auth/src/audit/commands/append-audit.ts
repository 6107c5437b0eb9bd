import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEntry } from '@iodine/contracts'
import { ignoreDuplicateKey, isDuplicateKey, unavailable } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthModels } from '../../models.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'
import type { AuditHeadDoc } from '../models/audit-state.js'
import { type ChainPlace, chainHash, GENESIS } from '../policies/audit-chain.js'

type Models = Pick<AuthModels, 'auditEntries' | 'auditHead'>

/** Attempts of an append beside those of other replicas: of two, one goes on. */
const ATTEMPTS = 200
const WAIT_MS = 5
const WAIT_MAX_MS = 200

/**
 * The end of the chain. Of what the majority of the replica set has: an entry that follows one which a failover takes
 * back would leave a gap.
 */
const readEnd = async ({ auditEntries }: Models): Promise<ChainPlace> =>
  (await auditEntries
    .findOne({}, { seq: 1, hash: 1 })
    .sort({ seq: -1 })
    .readConcern('majority')
    .lean<AuditEntryDoc>()) ?? GENESIS

const chained = (end: ChainPlace, entries: readonly AuditEntry[]): AuditEntryDoc[] => {
  let last = end
  return entries.map(entry => {
    const seq = last.seq + 1
    const prev = last.hash
    last = { seq, hash: chainHash(entry, seq, prev) }
    const created_at = new Date(entry.at)
    return { _id: new Types.ObjectId(entry.id), created_at, seq, prev, hash: last.hash, entry }
  })
}

const noteHead = async ({ auditHead }: Models, { seq, hash }: ChainPlace): Promise<void> => {
  const head: AuditHeadDoc = { _id: 'head', seq, hash }
  await auditHead
    .updateOne({ _id: 'head', seq: { $lt: seq } }, { $set: head }, { upsert: true })
    // The noted head is a later one already.
    .catch(ignoreDuplicateKey)
}

const appendEntries = async (models: Models, entries: readonly AuditEntry[]): Promise<void> => {
  const { auditEntries } = models
  const unique = [...new Map(entries.map(entry => [entry.id, entry])).values()]
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const known = await auditEntries
      .find({ _id: { $in: unique.map(({ id }) => new Types.ObjectId(id)) } }, { _id: 1 })
      .lean<AuditEntryDoc[]>()
    const ids = new Set(known.map(({ _id }) => _id.toHexString()))
    const end = await readEnd(models)
    const docs = chained(
      end,
      unique.filter(({ id }) => !ids.has(id)),
    )
    const last = docs.at(-1)
    // An earlier attempt may have been cut off before it noted the head.
    if (!last) return noteHead(models, end)
    try {
      // In order: the first one that another replica has taken the place of ends it, and the rest is tried again.
      await auditEntries.collection.insertMany(docs)
      return noteHead(models, last)
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
      await sleep(Math.random() * Math.min(WAIT_MAX_MS, WAIT_MS * 2 ** attempt))
    }
  }
  throw unavailable()
}

/**
 * Appends entries to the log, in their order, one caller of this process after the other. Entries that the log has stay as
 * they are. The unique index on `seq` makes one chain of what several replicas append at once.
 */
export const createAuditAppender = (models: Models) => {
  let last: Promise<unknown> = Promise.resolve()
  return (entries: readonly AuditEntry[]): Promise<void> => {
    const mine = last.then(() => appendEntries(models, entries))
    last = mine.catch(() => {})
    return mine
  }
}
