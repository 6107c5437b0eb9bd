import { randomBytes } from 'node:crypto'
import { readTimestamp, timestampRequest } from '@iodine/evidence/timestamp'

const WAIT_MS = 10_000
/** Tokens with a chain of certificates have some 6 kB. */
const ANSWER_MAX = 65_536

const readAtMost = async (answer: Response, max: number): Promise<Uint8Array<ArrayBuffer>> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of answer.body ?? []) {
    length += part.length
    if (length > max) throw new RangeError(`it has more than ${max} bytes`)
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/**
 * Has a text time-stamped by an authority (RFC 3161 over HTTP, 3.4). Resolves to the token in DER.
 * @throws Error that names the authority, for one that is down or answers with anything else
 */
export const timestampOf = async (tsaUrl: string, text: string, waitMs = WAIT_MS): Promise<Uint8Array> => {
  // Positive, as an INTEGER of DER has a sign.
  const nonce = BigInt(`0x7f${randomBytes(8).toString('hex')}`)
  try {
    const answer = await fetch(tsaUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: await timestampRequest(text, nonce),
      redirect: 'error',
      signal: AbortSignal.timeout(waitMs),
    })
    if (!answer.ok) throw new TypeError(`status ${answer.status}`)
    return (await readTimestamp(await readAtMost(answer, ANSWER_MAX), text, nonce)).token
  } catch (cause) {
    const { message } = cause as Error
    throw new Error(`time-stamping authority ${new URL(tsaUrl).host}: ${message}`, { cause })
  }
}
