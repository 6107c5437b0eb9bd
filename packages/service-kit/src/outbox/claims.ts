import { randomUUID } from 'node:crypto'
import { UnrecoverableError } from 'bullmq'
import { HttpError } from '../http/errors.js'
import type { EntryDoc, EntryModel } from './entry.js'
import type { KindSpec } from './kind.js'

/** Entries that one run of a handler holds. */
export interface Claim {
  lease: string
  entries: EntryDoc[]
}

const LEASE_MS = 15_000
/** Delay of the retry while another process handles the same key. */
export const SAME_KEY_MS = 200
/** Permanently failed entries are retried after this time. */
const FAILED_MS = 24 * 3_600_000
const ERROR_MAX = 500

export const leaseMsOf = ({ leaseMs = LEASE_MS }: KindSpec<unknown>): number => leaseMs

const leased = ({ lease, entries }: Claim) => ({ _id: { $in: entries.map(({ _id }) => _id) }, lease })
const isKeyed = ({ entries: [first] }: Claim): boolean => first?.key !== undefined

/**
 * Leases all other free entries of the key, also those due later: one run handles them. If another process holds one, this
 * releases all and returns undefined.
 */
const joinKey = async (
  model: EntryModel,
  same: { kind: string; key: string },
  { lease, entries }: Claim,
  end: Date,
): Promise<Claim | undefined> => {
  const now = new Date()
  const free = { ...same, $or: [{ due_at: { $lte: now } }, { lease: { $exists: false } }] }
  await model.updateMany(free, { $set: { lease, due_at: end } })
  const all = await model
    .find({ ...same, lease: { $exists: true } })
    .sort({ created_at: 1 })
    .lean<EntryDoc[]>()
  const own = all.filter(entry => entry.lease === lease)
  const isHeld = all.some(entry => entry.lease !== lease && entry.due_at > now)
  if (!isHeld) return { lease, entries: own.length > 0 ? own : entries }
  // No run has begun.
  await model.updateOne({ _id: entries[0]?._id, lease }, { $inc: { attempts: -1 } })
  await model.updateMany(
    { ...same, lease },
    { $set: { due_at: new Date(Date.now() + SAME_KEY_MS * (0.5 + Math.random())) }, $unset: { lease: 1 } },
  )
  return undefined
}

/** Leases up to `max` further due entries without a key. */
const fillBatch = async (
  model: EntryModel,
  kind: string,
  claim: Claim,
  end: Date,
  max: number,
): Promise<Claim> => {
  const { lease } = claim
  const due = { kind, key: { $exists: false }, due_at: { $lte: new Date() } }
  const found = await model.find(due, { _id: 1 }).sort({ due_at: 1 }).limit(max).lean<EntryDoc[]>()
  if (found.length === 0) return claim
  const ids = { $in: found.map(({ _id }) => _id) }
  await model.updateMany({ ...due, _id: ids }, { $set: { lease, due_at: end }, $inc: { attempts: 1 } })
  const more = await model.find({ _id: ids, lease }).sort({ created_at: 1 }).lean<EntryDoc[]>()
  return { lease, entries: [...claim.entries, ...more] }
}

/** Leases the oldest due entries of a kind. Returns `busy` if another process handles their key. */
export const claimDue = async (
  model: EntryModel,
  kind: string,
  spec: KindSpec<unknown>,
): Promise<Claim | 'none' | 'busy'> => {
  const lease = randomUUID()
  const end = new Date(Date.now() + leaseMsOf(spec))
  const first = await model
    .findOneAndUpdate(
      { kind, due_at: { $lte: new Date() } },
      { $set: { lease, due_at: end }, $inc: { attempts: 1 } },
      { sort: { due_at: 1 }, returnDocument: 'after' },
    )
    .lean<EntryDoc>()
  if (!first) return 'none'
  const claim = { lease, entries: [first] }
  const { key } = first
  if (key !== undefined) return (await joinKey(model, { kind, key }, claim, end)) ?? 'busy'
  const { batch = 1 } = spec
  return batch > 1 ? fillBatch(model, kind, claim, end, batch - 1) : claim
}

/** Extends the lease. Returns whether the claim still holds an entry. */
export const extendLease = async (model: EntryModel, claim: Claim, leaseMs: number): Promise<boolean> => {
  const due_at = new Date(Date.now() + leaseMs)
  return (await model.updateMany(leased(claim), { $set: { due_at } })).matchedCount > 0
}

/** Releases the entries, due in `ms` milliseconds. */
export const release = async (
  model: EntryModel,
  claim: Claim,
  ms: number,
  change: Partial<EntryDoc> = {},
): Promise<void> => {
  const due_at = new Date(Date.now() + ms)
  await model.updateMany(leased(claim), { $set: { ...change, due_at }, $unset: { lease: 1 } })
}

/** Removes all entries of a keyed claim but the newest, whose payload replaces theirs. Returns the rest of the claim. */
export const keepNewest = async (model: EntryModel, claim: Claim): Promise<Claim> => {
  const { lease, entries } = claim
  if (!isKeyed(claim) || entries.length === 1) return claim
  await removeClaimed(model, { lease, entries: entries.slice(0, -1) })
  return { lease, entries: entries.slice(-1) }
}

/** Releases the entries for another run in `ms` milliseconds, which counts as the first one. */
export const postpone = async (model: EntryModel, claim: Claim, ms: number): Promise<void> => {
  const due_at = new Date(Date.now() + ms)
  await model.updateMany(leased(await keepNewest(model, claim)), {
    $set: { attempts: 0, since: due_at, due_at },
    $unset: { lease: 1, failed_at: 1, error: 1 },
  })
}

export const removeClaimed = async (model: EntryModel, claim: Claim): Promise<void> => {
  await model.deleteMany(leased(claim))
}

/** Returns the reason for administrators: of an unexpected error only its class, as its message may contain data. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  const isOurs = error instanceof HttpError || error instanceof UnrecoverableError
  return (isOurs ? error.message : error.name).slice(0, ERROR_MAX)
}

/** Marks the entries as permanently failed. */
export const markFailed = async (model: EntryModel, claim: Claim, error: unknown): Promise<void> => {
  const now = Date.now()
  await model.updateMany(leased(claim), {
    $set: { failed_at: new Date(now), error: reasonOf(error), due_at: new Date(now + FAILED_MS) },
    $unset: { lease: 1 },
  })
}
