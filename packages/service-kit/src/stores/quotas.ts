import { type OwnLimits, type Quota, type QuotaUsage, quotaDetail, usageInternal } from '@iodine/contracts'
import { type ClientSession, type Model, type QueryFilter, Schema, Types, type UpdateQuery } from 'mongoose'
import { done } from '../http/done.js'
import { HttpError } from '../http/errors.js'
import type { StoreService } from '../service.js'
import { createSingleFlight } from '../single-flight.js'
import { type Connection, inTransaction, isDuplicateKey } from './mongo.js'

/** Amounts by what they count; absent means 0. */
export type Amounts<K extends string> = Partial<Record<K, number>>

interface UsageDoc {
  /** The user's id, or `nobody`: the owner of content that deleted accounts left. */
  _id: string
  used: Record<string, number>
  /** Day (UTC, ISO) of the daily count. */
  day: string
  /** Time of the last full recount. */
  checked_at: Date
  /** Limits that an administrator gave this user, instead of the deployment's. */
  limits?: OwnLimits
  /** Revision of `limits`: auth raises it with each change. */
  limits_revision?: number
}

const NOBODY = 'nobody'
const RECHECK_MS = 24 * 3_600_000
/** How often usages that are due for a recount are looked for. */
const RECHECK_EVERY_MS = 3_600_000
const TOTALS_MS = 1_000
const BUILDS_MAX = 5

const required = true
const schema = new Schema<UsageDoc>(
  {
    _id: { type: String, required },
    used: { type: Schema.Types.Mixed, required },
    day: { type: String, required },
    checked_at: { type: Date, required },
    limits: Schema.Types.Mixed,
    limits_revision: Number,
  },
  { collection: 'usage', versionKey: false, minimize: false },
)
schema.index({ checked_at: 1 })

/** 413: a quota is exceeded. */
export class QuotaExceeded<K extends string = string> extends HttpError {
  override name = 'QuotaExceeded'
  /** Usage before the refused change. */
  readonly used: Amounts<K>
  /** Limits of the user's own. */
  readonly own: OwnLimits

  constructor(name: Quota, limit: number, needed: number, used: Amounts<K>, own: OwnLimits = {}) {
    const before = Math.max(0, (used as Record<string, number>)[name] ?? 0)
    super(413, quotaDetail(name, { used: before, limit }, needed))
    this.used = used
    this.own = own
  }
}

/** The user has no usage document yet. */
class Unbuilt extends Error {}

export interface QuotasOptions<K extends string> {
  mongo: Connection
  /** Limits per user; other amounts are counted without limit. */
  limits: Partial<Record<K & Quota, number>>
  /** The quota that resets each day (UTC). */
  daily?: K
  /** Counts an owner's usage from scratch; null is `nobody`. @param midnight start of the day */
  count(owner: Types.ObjectId | null, session: ClientSession, midnight: Date): Promise<Amounts<K>>
  /** All owners with content; null is `nobody`. */
  owners(): Promise<(Types.ObjectId | null)[]>
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
   * Like `change`, for work that computes its own delta and calls `take` at most once.
   * @param options as of `inTransaction`
   */
  settle<T>(
    work: (
      session: ClientSession,
      take: (owner: Types.ObjectId | null, delta: Amounts<K>) => Promise<void>,
    ) => Promise<T>,
    options?: { retriesDuplicates?: boolean },
  ): Promise<T>
  /**
   * The error if `delta` does not fit beside what is used: only growing amounts are refused.
   * @param own limits of the user's own
   */
  refusal(used: Amounts<K>, delta: Amounts<K>, own?: OwnLimits): QuotaExceeded<K> | undefined
  used(owner: Types.ObjectId): Promise<Amounts<K>>
  /** Limits of the user's own; empty if they have the deployment's. */
  own(owner: Types.ObjectId): Promise<OwnLimits>
  /** Stores a user's own limits, unless newer ones are stored. Idempotent. */
  setOwn(owner: Types.ObjectId, own: OwnLimits, revision: number): Promise<void>
  /** Used and limit of each quota. */
  usage(owner: Types.ObjectId): Promise<Partial<Record<Quota, QuotaUsage>>>
  /** Sums over all owners, about a second old. */
  totals(): Promise<Amounts<K>>
  /** Deletes a deleted user's usage; with `left` it is added to `nobody`'s. */
  forget(owner: Types.ObjectId, options?: { left?: boolean; session?: ClientSession }): Promise<void>
  /**
   * Counts owners that have no usage yet, and recounts those not checked for a day. Returns how many usages
   * were wrong.
   */
  recount(signal: AbortSignal): Promise<number>
}

const idOf = (owner: Types.ObjectId | null) => owner?.toHexString() ?? NOBODY
const ownerOf = (id: string) => (id === NOBODY ? null : new Types.ObjectId(id))
const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/**
 * Tracks quota usage: one document per user, changed in the transaction of the content it counts, so that it
 * is exact under concurrency and crashes. The first value comes from a count.
 */
export const createQuotas = <K extends string>({
  mongo,
  limits,
  daily,
  count,
  owners,
}: QuotasOptions<K>): Quotas<K> => {
  const model: Model<UsageDoc> = mongo.model<UsageDoc>('Usage', schema)
  const limited = Object.entries(limits) as [K & Quota, number][]

  const incOf = (delta: Amounts<K>, without?: K) =>
    Object.fromEntries(
      Object.entries(delta)
        .filter(([name, n]) => n !== 0 && name !== without)
        .map(([name, n]) => [`used.${name}`, n as number]),
    )
  const refusal: Quotas<K>['refusal'] = (used, delta, own = {}) => {
    for (const [name, everyones] of limited) {
      const limit = own[name] ?? everyones
      const added = delta[name] ?? 0
      if (added > 0 && (used[name] ?? 0) + added > limit)
        return new QuotaExceeded<K>(name, limit, added, used, own)
    }
    return undefined
  }
  const take = async (owner: Types.ObjectId | null, delta: Amounts<K>, session: ClientSession) => {
    const _id = idOf(owner)
    const $inc = incOf(delta)
    if (Object.keys($inc).length === 0) return
    const update = (filter: QueryFilter<UsageDoc>, change: UpdateQuery<UsageDoc>) =>
      model
        .findOneAndUpdate({ ...filter, _id }, change, { session, returnDocument: 'after' })
        .lean<UsageDoc>()
    const today = daily && delta[daily] ? dayOf(new Date()) : undefined
    const doc = today
      ? ((await update({ day: { $gte: today } }, { $inc })) ??
        (await update(
          { day: { $lt: today } },
          { $inc: incOf(delta, daily), $set: { day: today, [`used.${daily}`]: delta[daily as K] } },
        )))
      : await update({}, { $inc })
    if (!doc) throw new Unbuilt(_id)
    const before = Object.entries(doc.used).map(([name, n]) => [name, n - (delta[name as K] ?? 0)])
    const refused = refusal(Object.fromEntries(before) as Amounts<K>, delta, doc.limits)
    if (refused) throw refused
  }

  const fromScratch = async (owner: Types.ObjectId | null, session: ClientSession) => {
    const checked_at = new Date()
    const day = dayOf(checked_at)
    return { used: await count(owner, session, new Date(day)), day, checked_at }
  }
  const building = createSingleFlight<string, void>()
  /** Counts an owner for the first time; concurrent calls for the same owner share the count. */
  const build = (owner: Types.ObjectId | null): Promise<void> => {
    const _id = idOf(owner)
    return building(_id, async () => {
      try {
        await inTransaction(mongo, async session => {
          // Inserted first, so that concurrent transactions conflict.
          const empty = { _id, used: {}, day: '', checked_at: new Date() }
          await model.collection.insertOne(empty as never, { session })
          await model.updateOne({ _id }, { $set: await fromScratch(owner, session) }, { session })
        })
      } catch (error) {
        // Another process inserted it concurrently.
        if (!isDuplicateKey(error)) throw error
      }
    })
  }
  /** Recounts; resolves to whether the usage was wrong. */
  const recheck = (id: string): Promise<boolean> =>
    inTransaction(mongo, async session => {
      const before = await model
        .findOneAndUpdate({ _id: id }, { $set: { checked_at: new Date() } }, { session })
        .lean<UsageDoc>()
      if (!before) return false
      const now = await fromScratch(ownerOf(id), session)
      const names = new Set([...Object.keys(before.used), ...Object.keys(now.used)])
      if (before.day !== now.day && daily) names.delete(daily)
      await model.updateOne({ _id: id }, { $set: now }, { session })
      return [...names].some(name => (before.used[name] ?? 0) !== (now.used[name as K] ?? 0))
    })

  const settle: Quotas<K>['settle'] = async (work, options) => {
    for (let builds = 0; ; builds++) {
      let missing: Types.ObjectId | null | undefined
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
        if (!(error instanceof Unbuilt) || missing === undefined || builds === BUILDS_MAX) throw error
        await build(missing)
      }
    }
  }
  const find = async (owner: Types.ObjectId) => {
    const read = () => model.findById(idOf(owner)).lean<UsageDoc>()
    return (await read()) ?? build(owner).then(read)
  }
  const usedIn = (doc: UsageDoc | null): Amounts<K> => {
    if (!doc) return {}
    const isOver = daily && doc.day < dayOf(new Date())
    return { ...doc.used, ...(isOver && { [daily]: 0 }) } as Amounts<K>
  }

  const sum = async (): Promise<Amounts<K>> => {
    const sums: Record<string, number> = {}
    for await (const { used } of model.find({}, { used: 1 }).lean<UsageDoc[]>().cursor({ batchSize: 1_000 }))
      for (const [name, n] of Object.entries(used as object)) sums[name] = (sums[name] ?? 0) + Number(n)
    return sums as Amounts<K>
  }
  let known: Promise<Amounts<K>> | undefined
  let reading: { begun: number; sums: Promise<Amounts<K>> } | undefined
  /** Serves stale sums while new ones are read: only the first call waits. */
  const totals = (): Promise<Amounts<K>> => {
    if (!reading || Date.now() - reading.begun > TOTALS_MS) {
      const sums = sum()
      reading = { begun: Date.now(), sums }
      sums.then(
        () => {
          known = sums
        },
        () => {
          known = reading = undefined
        },
      )
    }
    return known ?? reading.sums
  }
  /** Owners without a usage; undefined until they are searched for. */
  let uncounted: (Types.ObjectId | null)[] | undefined
  const recount = async (signal: AbortSignal): Promise<number> => {
    if (!uncounted) {
      const counted = new Set((await model.find({}, { _id: 1 }).lean<UsageDoc[]>()).map(({ _id }) => _id))
      uncounted = (await owners()).filter(owner => !counted.has(idOf(owner)))
    }
    for (let owner = uncounted[0]; owner !== undefined && !signal.aborted; owner = uncounted[0]) {
      await build(owner)
      uncounted.shift()
    }
    let wrong = 0
    while (!signal.aborted) {
      const due = { checked_at: { $lt: new Date(Date.now() - RECHECK_MS) } }
      const next = await model.findOne(due, { _id: 1 }).sort({ checked_at: 1 }).lean<UsageDoc>()
      if (!next) break
      if (await recheck(next._id)) wrong++
    }
    return wrong
  }

  return {
    settle,
    refusal,
    used: async owner => usedIn(await find(owner)),
    change: (owner, delta, work) =>
      settle(async (session, takeOf) => {
        await takeOf(owner, delta)
        return work(session)
      }),
    async own(owner) {
      return (await model.findById(idOf(owner), { limits: 1 }).lean<UsageDoc>())?.limits ?? {}
    },
    async setOwn(owner, limits, limits_revision) {
      await find(owner)
      await model.updateOne(
        {
          _id: idOf(owner),
          $or: [{ limits_revision: { $exists: false } }, { limits_revision: { $lt: limits_revision } }],
        },
        { $set: { limits, limits_revision } },
      )
    },
    async usage(owner) {
      const doc = await find(owner)
      const all = usedIn(doc)
      return Object.fromEntries(
        limited.map(([name, limit]) => [
          name,
          { used: Math.max(0, all[name] ?? 0), limit: doc?.limits?.[name] ?? limit },
        ]),
      ) as Partial<Record<Quota, QuotaUsage>>
    },
    totals,
    async forget(owner, { left = false, session } = {}) {
      if (!left) {
        await model.deleteOne({ _id: idOf(owner) }, session && { session })
        return
      }
      const nobodyIsNew = await inTransaction(mongo, async session => {
        const gone = await model.findOneAndDelete({ _id: idOf(owner) }, { session }).lean<UsageDoc>()
        const $inc = gone ? incOf(gone.used as Amounts<K>, daily) : {}
        if (Object.keys($inc).length === 0) return false
        const { matchedCount } = await model.updateOne({ _id: NOBODY }, { $inc }, { session })
        return matchedCount === 0
      })
      if (nobodyIsNew) await build(null)
    },
    recount,
  }
}

/** Serves a user's usage and own limits to the auth service, and recounts usages each day. @param more usage that is read instead of counted */
export const serveUsage = <K extends string>(
  service: StoreService,
  quotas: Quotas<K>,
  more: (owner: Types.ObjectId) => Promise<Partial<Record<Quota, QuotaUsage>>> = async () => ({}),
): void => {
  service.tasks.every('usage', RECHECK_EVERY_MS, quotas.recount)
  service.internal(usageInternal.getUsage, async ({ params }) => {
    const owner = new Types.ObjectId(params.id)
    const [counted, read] = await Promise.all([quotas.usage(owner), more(owner)])
    return { ...counted, ...read }
  })
  service.internal(usageInternal.setLimits, async ({ params, body }) =>
    done(quotas.setOwn(new Types.ObjectId(params.id), body.limits, body.revision)),
  )
}
