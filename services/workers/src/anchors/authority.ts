import { randomBytes } from 'node:crypto'
import { readTimestamp, timestampRequest } from '@iodine/evidence/timestamp'
import { bounded } from '../bounded.js'

const WAIT_MS = 10_000
/** Maximum bytes of a response: tokens with a certificate chain have about 6 kB. */
const ANSWER_MAX = 65_536

/**
 * Requests a timestamp of a text from an authority (RFC 3161 over HTTP, 3.4). Resolves to the token in DER.
 * @throws Error that names the authority, if it is down or its response is invalid
 */
export const timestampOf = async (tsaUrl: string, text: string, waitMs = WAIT_MS): Promise<Uint8Array> => {
  // Positive, as an INTEGER in DER is signed.
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
    const body = new Uint8Array(await bounded(answer, ANSWER_MAX).arrayBuffer())
    return (await readTimestamp(body, text, nonce)).token
  } catch (cause) {
    const { message } = cause as Error
    throw new Error(`time-stamping authority ${new URL(tsaUrl).host}: ${message}`, { cause })
  }
}
