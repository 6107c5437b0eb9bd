import { ApiError, DETAILS } from '@iodine/contracts'
import { sentenceOf } from '../shared/failures'
import { callApi, endpoints, isRefusal, timeFor } from './api'
import type { Captures, ReadyQuote, WaitingCapture } from './captures'
import type { Account } from './database'

/** How often a capture is begun anew in one go when the server has lost it meanwhile. */
const BEGINNINGS = 3

const has = (error: unknown, ...statuses: number[]): error is ApiError =>
  error instanceof ApiError && statuses.includes(error.status)

const isRefused = (error: unknown): error is ApiError => error instanceof ApiError && isRefusal(error)
const isTooLarge = ({ detail }: ApiError): boolean =>
  detail === DETAILS.captureTooLarge || detail === DETAILS.bodyTooLarge

/** Whether the server has erased the open capture, or misses blobs of it: then it is begun anew. */
class Lost extends Error {
  override readonly cause: ApiError
  constructor(cause: ApiError) {
    super()
    this.cause = cause
  }
}
const lostBy =
  (...statuses: number[]) =>
  (error: unknown): never => {
    throw has(error, ...statuses) ? new Lost(error) : error
  }

/** Sends the blobs that the server misses, until it has them or says that it has sealed them. */
const sendBlobs = async (
  account: Account,
  captures: Captures,
  capture: WaitingCapture,
  id: string,
  missing: readonly string[],
): Promise<boolean> => {
  for (const sha256 of missing) {
    const body = await captures.blob(capture, sha256)
    if (!body) return false
    try {
      await callApi(account, endpoints.putBlob, { params: { id, sha256 }, body, ms: timeFor(body.length) })
    } catch (error) {
      if (has(error, 409)) return true
      lostBy(404)(error)
    }
  }
  return true
}

const begin = async (account: Account, captures: Captures, capture: WaitingCapture): Promise<void> => {
  const { id, missing } = await callApi(account, endpoints.createCapture, { body: capture.manifest })
  if (!(await sendBlobs(account, captures, capture, id, missing)))
    return captures.refuse(capture, sentenceOf('captureLost'))
  const { seq } = await callApi(account, endpoints.sealCapture, { params: { id } }).catch(lostBy(404, 409))
  await captures.seal(capture, { id, seq })
}

/**
 * Hands a capture over: its manifest, the blobs that the server misses, then the seal. Nothing in between is kept
 * here: the server knows a manifest by its hash, so that a call after any interruption goes on where the last one
 * ended. Throws the ApiError of a failure that passes.
 */
export const handOver = async (
  account: Account,
  captures: Captures,
  capture: WaitingCapture,
): Promise<void> => {
  for (let beginning = 1; ; beginning++)
    try {
      return await begin(account, captures, capture)
    } catch (error) {
      if (error instanceof Lost) {
        if (beginning === BEGINNINGS) throw error.cause
        continue
      }
      if (!isRefused(error)) throw error
      if (error.status === 413 && !isTooLarge(error)) return captures.setFull(capture, error.message)
      return captures.refuse(capture, error.message)
    }
}

/** Adds a quote to its IOD as evidence. Throws the ApiError of a failure that passes. */
export const addQuote = async (account: Account, captures: Captures, quote: ReadyQuote): Promise<void> => {
  const { iod, place, captureId } = quote
  try {
    await callApi(account, endpoints.addEvidence, {
      params: { id: iod.id },
      body: { capture_id: captureId, role: 'text', ...place },
    })
  } catch (error) {
    if (has(error, 404) || isRefused(error)) return captures.settleQuote(quote, error.message)
    if (!has(error, 409) || error.detail === DETAILS.notSealed) throw error
    // These words are evidence of the IOD already.
  }
  await captures.settleQuote(quote)
}
