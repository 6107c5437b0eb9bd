import { setTimeout as sleep } from 'node:timers/promises'
import { type BodyOf, DETAILS, type narrativesApi } from '@iodine/contracts'
import {
  badRequest,
  createSingleFlight,
  HttpError,
  hashOf,
  isDuplicateKey,
  notFound,
  requireAiKey,
  timedOut,
  unavailable,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import { extractionJobId, type NarrativeDoc, type NarrativeFailure } from '../models/narrative.js'
import { usageOf } from '../models/usage.js'
import { addExtraction, EXTRACTION_GRACE_MS, failNarrative } from './complete-extraction.js'

/** `Retry-After` in seconds for a rate limit of the provider without one. */
const RETRY_AFTER_SECONDS = 20
/** `Retry-After` in seconds for an account without credit. */
const NO_CREDIT_SECONDS = 3_600
const REDIS_CHECK_MS = 1_000

const failureAnswer = ({ failure, retry_after }: NarrativeDoc): HttpError => {
  const answers: Record<NarrativeFailure, () => HttpError> = {
    missing_key: () => badRequest(DETAILS.missingAiKey),
    rejected_key: () => badRequest(DETAILS.rejectedAiKey),
    rate_limited: () =>
      new HttpError(429, DETAILS.providerRateLimit, {
        'retry-after': String(retry_after ?? RETRY_AFTER_SECONDS),
      }),
    // An immediate retry is useless.
    no_credit: () => new HttpError(429, DETAILS.noCredit, { 'retry-after': String(NO_CREDIT_SECONDS) }),
    refused: () => new HttpError(422, DETAILS.providerRefused),
    provider_failed: () => new HttpError(502, DETAILS.providerFailed),
    unavailable: () => unavailable(),
  }
  return answers[failure ?? 'unavailable']()
}

/**
 * Inserts a narrative, or returns the open one with the same user, text and source; the unique index decides.
 * @param allowed rejects if the user may not create a narrative; the lookup runs concurrently
 * @throws HttpError 413 above the user's quota
 */
const openNew = async (
  { narratives, quotas, extractions }: Store,
  userId: string,
  text: string,
  src: string | null,
  open_key: string,
  allowed: Promise<unknown>,
): Promise<NarrativeDoc> => {
  // A duplicate key means that a concurrent request was first. The retry joins its narrative if it is still open.
  for (let tries = 0; tries < 5; tries++) {
    // The lookup precedes the quota check: joining takes no quota.
    const joined = await narratives.findOne({ open_key, state: 'open' }).lean()
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
 * Resolves once the job's end is unobservable: Redis failed twice in a row, or lost the job of a narrative that ended.
 * Adds the lost job of an open narrative again.
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
 * Waits for the narrative's end. Resolves to
 * - the narrative, if this process ended it
 * - `ended`, if its job succeeded or failed, or its state is unknown
 * - `late`, if the job continues after `ms` or the shutdown of this process
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
 * Extracts triplets from a text and waits for them. The response follows the stored narrative, not the event that ended
 * the wait, so that it agrees with the list. A 503 marks the narrative as failed.
 * @param waitMs milliseconds until a 504, after which the extraction continues
 */
export const createNarrative = async (
  store: Store,
  userId: string,
  { text, src = null }: BodyOf<typeof narrativesApi.createNarrative>,
  waitMs: number,
): Promise<{ id: string; triplets_extracted: number }> => {
  const deadline = Date.now() + waitMs
  const key = requireAiKey(store.service.peers, userId)
  const [sealedKey, opened] = await Promise.all([key, openOrJoin(store, userId, text, src, key)])
  const { _id } = opened
  const outcome = await awaitEnd(store, opened, sealedKey, deadline - Date.now())
  const reload = () => store.narratives.findById(_id).lean()
  let narrative = typeof outcome === 'string' ? await reload() : outcome
  if (narrative?.state === 'open') {
    if (outcome === 'late') throw timedOut(DETAILS.stillWorking)
    if (await failNarrative(store, _id, 'unavailable')) throw unavailable()
    narrative = await reload()
  }
  if (narrative?.state === 'failed') throw failureAnswer(narrative)
  if (narrative?.state !== 'done') throw notFound()
  return { id: _id.toHexString(), triplets_extracted: narrative.triplets.length }
}
