import { setTimeout as sleep } from 'node:timers/promises'
import { authInternal, type BodyOf, DETAILS, type narrativesApi } from '@iodine/contracts'
import {
  badRequest,
  createSingleFlight,
  HttpError,
  hashOf,
  isDuplicateKey,
  isNotFound,
  notFound,
  timedOut,
  unavailable,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { extractionJobId, type NarrativeDoc, type NarrativeFailure } from '../models/narrative.js'
import { usageOf } from '../models/usage.js'
import { addExtraction, EXTRACTION_GRACE_MS, failNarrative } from './complete-extraction.js'

/** Seconds, sent when the provider limits requests without a Retry-After. */
const RETRY_AFTER_SECONDS = 20
/** Until somebody has added credit. */
const NO_CREDIT_SECONDS = 3_600
const REDIS_CHECK_MS = 1_000
/** Long enough for a busy machine: the extraction takes longer anyway. */
const KEY_MS = 10_000

const failureAnswer = ({ failure, retry_after }: NarrativeDoc): HttpError => {
  const answers: Record<NarrativeFailure, () => HttpError> = {
    missing_key: () => badRequest(DETAILS.missingAiKey),
    rejected_key: () => badRequest(DETAILS.rejectedAiKey),
    rate_limited: () =>
      new HttpError(429, DETAILS.providerRateLimit, {
        'retry-after': String(retry_after ?? RETRY_AFTER_SECONDS),
      }),
    // As the provider says it, with a status of its own or that of a limit: trying at once again is of no use.
    no_credit: () => new HttpError(429, DETAILS.noCredit, { 'retry-after': String(NO_CREDIT_SECONDS) }),
    refused: () => new HttpError(422, DETAILS.providerRefused),
    provider_failed: () => new HttpError(502, DETAILS.providerFailed),
    unavailable: () => unavailable(),
  }
  return answers[failure ?? 'unavailable']()
}

/** The user's sealed AI key. Throws 400 when there is none. */
const requireAiKey = async ({ service }: Store, userId: string): Promise<string> => {
  const { sealed } = await service.peers
    .call('auth', authInternal.getSealedAiKey, { params: { id: userId }, ms: KEY_MS })
    .catch(error => {
      if (isNotFound(error)) return { sealed: null }
      throw error
    })
  if (sealed === null) throw badRequest(DETAILS.missingAiKey)
  return sealed
}

/**
 * Inserts a narrative, or returns the open one with the same user, text and source; the unique index decides.
 * Throws 413 when the user's quota is used up.
 * @param allowed rejects where the user may not open one; the lookup does not wait for it
 */
const openNew = async (
  { narratives, quotas, extractions }: Store,
  userId: string,
  text: string,
  src: string | null,
  open_key: string,
  allowed: Promise<unknown>,
): Promise<NarrativeDoc> => {
  // A duplicate key means that a concurrent request was first: retry, and join its narrative if still open.
  for (let tries = 0; tries < 5; tries++) {
    // The lookup precedes the quota check: joining takes no quota.
    const joined = await narratives.findOne({ open_key, state: 'open' }).lean<NarrativeDoc>()
    if (joined) return joined
    await allowed
    const narrative: NarrativeDoc = {
      _id: new Types.ObjectId(),
      user_id: new Types.ObjectId(userId),
      text,
      src,
      created_at: new Date(),
      state: 'open',
      open_key,
      triplets: [],
      link_keys: [],
      node_keys: [],
      graph: null,
      retries: 0,
    }
    try {
      await quotas.change(narrative.user_id, usageOf(narrative), async session => {
        await narratives.insertMany([narrative], { session, lean: true })
        const id = narrative._id.toHexString()
        await extractions.add({ id }, { dueIn: EXTRACTION_GRACE_MS, session })
      })
      return narrative
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
  throw unavailable()
}

/** Single flight by open key: concurrent identical requests share one insert and one quota change. */
const opening = createSingleFlight<string, NarrativeDoc>()

const openOrJoin = (
  store: Store,
  userId: string,
  text: string,
  src: string | null,
  allowed: Promise<unknown>,
): Promise<NarrativeDoc> => {
  const open_key = hashOf(JSON.stringify([userId.toLowerCase(), text, src]))
  return opening(open_key, () => openNew(store, userId, text, src, open_key, allowed))
}

/**
 * Resolves when the job's end can no longer be observed: Redis failed twice in a row, or Redis lost the job
 * of a narrative that has ended. Adds the lost job of an open narrative again.
 */
const jobLost = async (store: Store, narrative: NarrativeDoc, signal: AbortSignal): Promise<void> => {
  const { narratives, service } = store
  const { _id } = narrative
  for (let missed = 0; missed < 2; ) {
    await sleep(REDIS_CHECK_MS, undefined, { signal })
    const state = await service.queues
      .queue('extraction')
      .getJobState(extractionJobId(narrative))
      .catch(() => undefined)
    missed = state === undefined ? missed + 1 : 0
    if (state !== 'unknown') continue
    if (!(await narratives.exists({ _id, state: 'open' }).catch(() => true))) return
    await addExtraction(store, narrative).catch(() => {})
  }
}

/**
 * Waits for the narrative's end, and resolves to the narrative if this process ended it. `ended`: its job
 * succeeded or failed, or its state is unknown. `late`: the job continues past `ms` or past the shutdown of
 * this process.
 */
const awaitEnd = async (
  store: Store,
  narrative: NarrativeDoc,
  sealedKey: string,
  ms: number,
): Promise<NarrativeDoc | 'ended' | 'late'> => {
  const { service, closing, waits } = store
  const stop = new AbortController()
  const either = AbortSignal.any([stop.signal, closing])
  const { ended, leave } = waits.enter(narrative._id, sealedKey)
  try {
    const job = await addExtraction(store, narrative)
    return await Promise.race([
      ended,
      service.queues.waitFor('extraction', job, ms + REDIS_CHECK_MS).then(() => 'ended' as const),
      jobLost(store, narrative, stop.signal).then(() => 'ended' as const),
      sleep(ms, 'late' as const, { signal: either }),
    ])
  } catch {
    return closing.aborted ? 'late' : 'ended'
  } finally {
    stop.abort()
    leave()
  }
}

/**
 * Extracts triplets from a text and waits for them. The stored narrative decides the answer, not the event
 * that ended the wait, so that the answer and the list agree; a 503 closes the narrative.
 * @param waitMs milliseconds until the answer is that the extraction continues
 */
export const createNarrative = async (
  store: Store,
  userId: string,
  { text, src = null }: BodyOf<typeof narrativesApi.createNarrative>,
  waitMs: number,
): Promise<{ id: string; triplets_extracted: number }> => {
  const deadline = Date.now() + waitMs
  const key = requireAiKey(store, userId)
  const [sealedKey, opened] = await Promise.all([key, openOrJoin(store, userId, text, src, key)])
  const { _id } = opened
  const outcome = await awaitEnd(store, opened, sealedKey, deadline - Date.now())
  const look = () => store.narratives.findById(_id).lean<NarrativeDoc>()
  let narrative = typeof outcome === 'string' ? await look() : outcome
  if (narrative?.state === 'open') {
    if (outcome === 'late') throw timedOut(DETAILS.stillWorking)
    if (await failNarrative(store, _id, 'unavailable')) throw unavailable()
    narrative = await look()
  }
  if (narrative?.state === 'failed') throw failureAnswer(narrative)
  if (narrative?.state !== 'done') throw notFound()
  return { id: _id.toHexString(), triplets_extracted: narrative.triplets.length }
}
