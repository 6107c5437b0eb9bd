import { type OwnLimits, type Quota, type QuotaUsage, quotaDetail, usageInternal } from '@iodine/contracts'
import { type ClientSession, type QueryFilter, Types, type UpdateQuery } from 'mongoose'
import { done } from '../http/done.js'
import { HttpError } from '../http/errors.js'
import { createKeyedQueue } from '../single-flight.js'
import type { StoreService } from '../store-service.js'
import { inTransaction } from './mongo.js'
import {
  type Amounts,
  dayOf,
  type Owner,
  UNOWNED,
  type UsageDoc,
  type UsageModel,
  usageId,
  usageModel,
} from './usage.js'
import { type CountOptions, createUsageCounts } from './usage-counts.js'
import { createTotals } from './usage-totals.js'

/** Interval of the search for usages that are due for a recount. */
const RECOUNT_EVERY_MS = 3_600_000
/** Maximum number of owners that one transaction counts for the first time. */
const BUILDS_MAX = 5

/** 413: a quota is exceeded. */
export class QuotaExceeded<K extends string = string> extends HttpError {
  override name = 'QuotaExceeded'
  /** Usage before the refused change. */
  readonly used: Amounts<K>
  /** The user's own limits. */
  readonly own: OwnLimits

  constructor(name: Quota, limit: number, needed: number, used: Amounts<K>, own: OwnLimits = {}) {
    const before = Math.max(0, (used as Record<string, number>)[name] ?? 0)
    super(413, quotaDetail(name, { used: before, limit }, needed))
    this.used = used
    this.own = own
  }
}

/** The owner has no usage document. */
class UsageMissing extends Error {}

export interface QuotasOptions<K extends string> extends CountOptions<K> {
  /** Limits per user; other amounts are counted without limit. */
  limits: Partial<Record<K & Quota, number>>
}

export interface Quotas<K extends string> {
  /**
   * Runs `work` in a transaction that also changes the owner's usage by `delta`. The usage is written first,
   * so that changes of one owner are serialized. Throws QuotaExceeded if an amount would grow past its limit.
   */
  change<T>(
    owner: Types.ObjectId,
    delta: Amounts<K>,
    work: (session: ClientSession) => Promise<T>,
  ): Promise<T>
  /**
   * Like `change`, for work that computes its own deltas and calls `take` at most once per owner.
   * @param options as of `inTransaction`
   */
  settle<T>(
    work: (session: ClientSession, take: (owner: Owner, delta: Amounts<K>) => Promise<void>) => Promise<T>,
    options?: { retriesDuplicates?: boolean },
  ): Promise<T>
  /**
   * Returns the error if `used` and `delta` exceed a limit. Only growing amounts are refused.
   * @param own the user's own limits
   */
  refusal(used: Amounts<K>, delta: Amounts<K>, own?: OwnLimits): QuotaExceeded<K> | undefined
  used(owner: Owner): Promise<Amounts<K>>
  /** Returns the user's own limits; empty if the deployment's apply. */
  own(owner: Types.ObjectId): Promise<OwnLimits>
  /** Stores a user's own limits, unless a newer revision is stored. Idempotent. */
  setOwn(owner: Types.ObjectId, own: OwnLimits, revision: number): Promise<void>
  /** Returns used amount and limit of each quota. */
  usage(owner: Types.ObjectId): Promise<Partial<Record<Quota, QuotaUsage>>>
  /** Returns sums over all owners, about a second old. */
  totals(): Promise<Amounts<K>>
  /** Deletes a deleted user's usage; with `left` it is added to that of unowned content. */
  forget(owner: Types.ObjectId, options?: { left?: boolean; session?: ClientSession }): Promise<void>
  /**
   * Counts owners without a usage, and recounts those not counted for a day. Returns the number of wrong usages.
   */
  recount(signal: AbortSignal): Promise<number>
}

const incOf = <K extends string>(delta: Amounts<K>, without?: K): Record<string, number> =>
  Object.fromEntries(
    Object.entries(delta)
      .filter(([name, n]) => n !== 0 && name !== without)
      .map(([name, n]) => [`used.${name}`, n as number]),
  )

/** Adds `delta` to a usage and returns the new one; undefined if the owner has none. */
const addUsage = async <K extends string>(
  model: UsageModel,
  _id: string,
  delta: Amounts<K>,
  daily: K | undefined,
  session: ClientSession,
): Promise<UsageDoc | null> => {
  const $inc = incOf(delta)
  const update = (filter: QueryFilter<UsageDoc>, change: UpdateQuery<UsageDoc>) =>
    model.findOneAndUpdate({ ...filter, _id }, change, { session, returnDocument: 'after' }).lean<UsageDoc>()
  if (!daily || !delta[daily]) return update({}, { $inc })
  const today = dayOf(new Date())
  return (
    (await update({ day: { $gte: today } }, { $inc })) ??
    (await update(
      { day: { $lt: today } },
      { $inc: incOf(delta, daily), $set: { day: today, [`used.${daily}`]: delta[daily] } },
    ))
  )
}

/** Deletes a user's usage and adds it to that of unowned content. Returns false if the latter does not exist. */
const leaveUsage = (
  model: UsageModel,
  { mongo, daily }: Pick<CountOptions<string>, 'mongo' | 'daily'>,
  owner: Types.ObjectId,
): Promise<boolean> =>
  inTransaction(mongo, async session => {
    const gone = await model.findOneAndDelete({ _id: usageId(owner) }, { session }).lean<UsageDoc>()
    const $inc = gone ? incOf(gone.used, daily) : {}
    if (Object.keys($inc).length === 0) return true
    return (await model.updateOne({ _id: UNOWNED }, { $inc }, { session })).matchedCount > 0
  })

const refusalOf = <K extends string>(
  limited: readonly [K & Quota, number][],
  used: Amounts<K>,
  delta: Amounts<K>,
  own: OwnLimits = {},
): QuotaExceeded<K> | undefined => {
  for (const [name, usual] of limited) {
    const limit = own[name] ?? usual
    const added = delta[name] ?? 0
    if (added > 0 && (used[name] ?? 0) + added > limit)
      return new QuotaExceeded<K>(name, limit, added, used, own)
  }
  return undefined
}

/** Stores a user's own limits, unless a newer revision is stored. */
const storeLimits = async (
  model: UsageModel,
  owner: Types.ObjectId,
  limits: OwnLimits,
  limits_revision: number,
): Promise<void> => {
  await model.updateOne(
    {
      _id: usageId(owner),
      $or: [{ limits_revision: { $exists: false } }, { limits_revision: { $lt: limits_revision } }],
    },
    { $set: { limits, limits_revision } },
  )
}

/** Returns the amounts of a usage; that of a day only on the same day. */
const usedIn = <K extends string>(doc: UsageDoc | null, daily: K | undefined): Amounts<K> => {
  if (!doc) return {}
  const isOver = daily && doc.day < dayOf(new Date())
  return { ...doc.used, ...(isOver && { [daily]: 0 }) } as Amounts<K>
}

/**
 * Tracks quota usage: one document per user, changed in the transaction of the content it counts, so that it
 * is exact under concurrency and crashes. The first value comes from a count.
 */
export const createQuotas = <K extends string>({ limits, ...options }: QuotasOptions<K>): Quotas<K> => {
  const { mongo, daily } = options
  const model = usageModel(mongo)
  const limited = Object.entries(limits) as [K & Quota, number][]
  const { build, recount } = createUsageCounts(model, options)
  const inQueue = createKeyedQueue<string>()

  const refusal: Quotas<K>['refusal'] = (used, delta, own) => refusalOf(limited, used, delta, own)
  const take = async (owner: Owner, delta: Amounts<K>, session: ClientSession) => {
    if (Object.values(delta).every(n => n === 0)) return
    const doc = await addUsage(model, usageId(owner), delta, daily, session)
    if (!doc) throw new UsageMissing(usageId(owner))
    const before = Object.entries(doc.used).map(([name, n]) => [name, n - (delta[name as K] ?? 0)])
    const refused = refusal(Object.fromEntries(before) as Amounts<K>, delta, doc.limits)
    if (refused) throw refused
  }
  const settle: Quotas<K>['settle'] = async (work, options) => {
    for (let builds = 0; ; builds++) {
      let missing: Owner | undefined
      try {
        return await inTransaction(
          mongo,
          session =>
            work(session, async (owner, delta) => {
              missing = owner
              await take(owner, delta, session)
            }),
          options,
        )
      } catch (error) {
        if (!(error instanceof UsageMissing) || missing === undefined || builds === BUILDS_MAX) throw error
        await build(missing)
      }
    }
  }
  const find = async (owner: Owner) => {
    const read = () => model.findById(usageId(owner)).lean<UsageDoc>()
    return (await read()) ?? build(owner).then(read)
  }

  return {
    settle,
    refusal,
    used: async owner => usedIn(await find(owner), daily),
    change: (owner, delta, work) =>
      // Otherwise all but one of a user's concurrent transactions would fail at the usage, and be repeated.
      inQueue(owner.toHexString(), () =>
        settle(async (session, takeOf) => {
          await takeOf(owner, delta)
          return work(session)
        }),
      ),
    async own(owner) {
      return (await model.findById(usageId(owner), { limits: 1 }).lean<UsageDoc>())?.limits ?? {}
    },
    async setOwn(owner, own, revision) {
      await find(owner)
      await storeLimits(model, owner, own, revision)
    },
    async usage(owner) {
      const doc = await find(owner)
      const all = usedIn(doc, daily)
      const usages = limited.map(([name, limit]) => [
        name,
        { used: Math.max(0, all[name] ?? 0), limit: doc?.limits?.[name] ?? limit },
      ])
      return Object.fromEntries(usages) as Partial<Record<Quota, QuotaUsage>>
    },
    totals: createTotals(model),
    async forget(owner, { left = false, session } = {}) {
      if (!left) await model.deleteOne({ _id: usageId(owner) }, session && { session })
      else if (!(await leaveUsage(model, options, owner))) await build(null)
    },
    recount,
  }
}

/**
 * Serves a user's usage and own limits to the auth service, and recounts usages each day.
 * @param more reads usages that are not counted
 */
export const serveUsage = <K extends string>(
  service: StoreService,
  quotas: Quotas<K>,
  more: (owner: Types.ObjectId) => Promise<Partial<Record<Quota, QuotaUsage>>> = async () => ({}),
): void => {
  service.tasks.every('usage', RECOUNT_EVERY_MS, async signal => {
    const wrong = await quotas.recount(signal)
    if (wrong > 0) service.log.warn({ wrong }, 'usages corrected')
  })
  service.internal(usageInternal.getUsage, async ({ params }) => {
    const owner = new Types.ObjectId(params.id)
    const [counted, read] = await Promise.all([quotas.usage(owner), more(owner)])
    return { ...counted, ...read }
  })
  service.internal(usageInternal.setLimits, async ({ params, body }) =>
    done(quotas.setOwn(new Types.ObjectId(params.id), body.limits, body.revision)),
  )
}
