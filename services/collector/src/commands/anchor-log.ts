import { randomBytes } from 'node:crypto'
import { checkpointText } from '@iodine/evidence'
import { readTimestamp, timestampRequest } from '@iodine/evidence/timestamp'
import { unavailable } from '@iodine/service-kit'
import type { LogModels } from '../models/log.js'
import { presentCheckpoint } from '../presenters/capture.js'
import { newestCheckpoint } from '../queries/read-log.js'

const WAIT_MS = 10_000
/** Tokens with a chain of certificates have some 6 kB. */
const ANSWER_MAX = 65_536

const readAtMost = async (answer: Response, max: number): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of answer.body ?? []) {
    length += part.length
    if (length > max) throw new RangeError(`has more than ${max} bytes`)
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

const ask = async (tsaUrl: string, text: string) => {
  // Positive, so that its DER is the same everywhere.
  const nonce = BigInt(`0x7f${randomBytes(8).toString('hex')}`)
  const answer = await fetch(tsaUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: await timestampRequest(text, nonce),
    redirect: 'error',
    signal: AbortSignal.timeout(WAIT_MS),
  })
  if (!answer.ok) throw new TypeError(`answered ${answer.status}`)
  return readTimestamp(await readAtMost(answer, ANSWER_MAX), text, nonce)
}

/**
 * Has the newest checkpoint time-stamped by the authority (RFC 3161), unless it already is. Resolves to its size, or
 * null if there was nothing to do. Throws 503 for an authority that is down or answers with something else.
 */
export const anchorLog = async (log: LogModels, tsaUrl: string | undefined): Promise<number | null> => {
  if (tsaUrl === undefined) return null
  const newest = await newestCheckpoint(log)
  if (!newest || newest.anchors) return null
  const { host, origin, pathname } = new URL(tsaUrl)
  const { token, at } = await ask(tsaUrl, checkpointText(presentCheckpoint(newest))).catch(cause => {
    throw unavailable(`the time-stamping authority ${host}: ${cause?.message ?? cause}`, cause)
  })
  const anchor = { tsa: origin + pathname, token: Buffer.from(token).toString('base64'), at }
  await log.checkpoints.updateOne(
    { _id: newest._id, anchored_size: { $exists: false } },
    { $set: { anchors: [anchor], anchored_size: newest._id } },
  )
  return newest._id
}
