import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditEntry } from '@iodine/contracts'
import { ignoreDuplicateKey, isDuplicateKey, unavailable } from '@iodine/service-kit'
import { Types } from 'mongoose'
import pLimit from 'p-limit'
import type { AuthModels } from '../../models.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'
import type { AuditHeadDoc } from '../models/audit-state.js'
import { type ChainPosition, chainHash, GENESIS } from '../policies/audit-chain.js'

type Models = Pick<AuthModels, 'auditEntries' | 'auditHead'>

/** Maximum attempts of an append: of two concurrent replicas one succeeds. */
const ATTEMPTS = 200
const WAIT_MS = 5
const WAIT_MAX_MS = 200

/**
 * Returns the end of the chain with majority read concern: an entry that follows one which a failover rolls back would
 * leave a gap.
 */
const readEnd = async ({ auditEntries }: Models): Promise<ChainPosition> =>
  (await auditEntries
    .findOne({}, { seq: 1, hash: 1 })
    .sort({ seq: -1 })
    .readConcern('majority')
    .lean<AuditEntryDoc>()) ?? GENESIS

const chained = (end: ChainPosition, entries: readonly AuditEntry[]): AuditEntryDoc[] => {
  let last = end
  return entries.map(entry => {
    const seq = last.seq + 1
    const prev = last.hash
    last = { seq, hash: chainHash(entry, seq, prev) }
    const created_at = new Date(entry.at)
    return { _id: new Types.ObjectId(entry.id), created_at, seq, prev, hash: last.hash, entry }
  })
}

const noteHead = async ({ auditHead }: Models, { seq, hash }: ChainPosition): Promise<void> => {
  const head: AuditHeadDoc = { _id: 'head', seq, hash }
  await auditHead
    .updateOne({ _id: 'head', seq: { $lt: seq } }, { $set: head }, { upsert: true })
    // The stored head is already a later one.
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
    // An earlier attempt may have been interrupted before it stored the head.
    if (!last) return noteHead(models, end)
    try {
      // Ordered: the first `seq` that another replica has taken ends the insert; the rest is retried.
      // The driver inserts: the documents are complete, and Mongoose would cast each.
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
 * Creates the function that appends entries to the log in their order; calls in this process are serialized. Entries
 * that the log contains are skipped. The unique index on `seq` keeps concurrent appends of replicas in one chain.
 */
export const createAuditAppender = (models: Models) => {
  const oneAtATime = pLimit(1)
  return (entries: readonly AuditEntry[]): Promise<void> => oneAtATime(() => appendEntries(models, entries))
}
