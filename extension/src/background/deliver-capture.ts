import { ApiError, DETAILS } from '@iodine/contracts'
import { sentenceOf } from '../shared/failures'
import { callApi, endpoints, isPermanentError, timeoutFor } from './api'
import type { Captures, ReadyQuote, WaitingCapture } from './captures'
import type { Account } from './database'

/** Maximum attempts for one capture in a call, if the server loses it in between. */
const ATTEMPTS_MAX = 3

const hasStatus = (error: unknown, ...statuses: number[]): error is ApiError =>
  error instanceof ApiError && statuses.includes(error.status)

const isPermanent = (error: unknown): error is ApiError =>
  error instanceof ApiError && isPermanentError(error)
const isTooLarge = ({ detail }: ApiError): boolean =>
  detail === DETAILS.captureTooLarge || detail === DETAILS.bodyTooLarge

/** The server has deleted the open capture or lacks blobs of it: the capture is started again. */
class CaptureLost extends Error {
  override readonly cause: ApiError
  constructor(cause: ApiError) {
    super()
    this.cause = cause
  }
}
const captureLostOn =
  (...statuses: number[]) =>
  (error: unknown): never => {
    throw hasStatus(error, ...statuses) ? new CaptureLost(error) : error
  }

/** Uploads the missing blobs, or stops if the capture is sealed. Resolves to false if a blob is not in this browser. */
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
      await callApi(account, endpoints.putBlob, { params: { id, sha256 }, body, ms: timeoutFor(body.length) })
    } catch (error) {
      if (hasStatus(error, 409)) return true
      captureLostOn(404)(error)
    }
  }
  return true
}

const attemptDelivery = async (
  account: Account,
  captures: Captures,
  capture: WaitingCapture,
): Promise<void> => {
  const { id, missing } = await callApi(account, endpoints.createCapture, { body: capture.manifest })
  if (!(await sendBlobs(account, captures, capture, id, missing)))
    return captures.refuse(capture, sentenceOf('captureLost'))
  const { seq } = await callApi(account, endpoints.sealCapture, { params: { id } }).catch(
    captureLostOn(404, 409),
  )
  await captures.seal(capture, { id, seq })
}

/**
 * Sends a capture: its manifest, the missing blobs, then the seal. No intermediate state is stored: the server
 * identifies a manifest by its hash, so a call after an interruption continues.
 * @throws ApiError for a transient error
 */
export const deliverCapture = async (
  account: Account,
  captures: Captures,
  capture: WaitingCapture,
): Promise<void> => {
  for (let attempt = 1; ; attempt++)
    try {
      return await attemptDelivery(account, captures, capture)
    } catch (error) {
      if (error instanceof CaptureLost) {
        if (attempt === ATTEMPTS_MAX) throw error.cause
        continue
      }
      if (!isPermanent(error)) throw error
      if (error.status === 413 && !isTooLarge(error)) return captures.setFull(capture, error.message)
      return captures.refuse(capture, error.message)
    }
}

/** Adds a quote to its IOD as evidence. @throws ApiError for a transient error */
export const addQuote = async (account: Account, captures: Captures, quote: ReadyQuote): Promise<void> => {
  const { iod, place, captureId } = quote
  try {
    await callApi(account, endpoints.addEvidence, {
      params: { id: iod.id },
      body: { capture_id: captureId, role: 'text', ...place },
    })
  } catch (error) {
    if (hasStatus(error, 404) || isPermanent(error)) return captures.completeQuote(quote, error.message)
    if (!hasStatus(error, 409) || error.detail === DETAILS.notSealed) throw error
    // These words are evidence of the IOD already.
  }
  await captures.completeQuote(quote)
}
