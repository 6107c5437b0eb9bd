import { createPublicKey, verify } from 'node:crypto'
import { LIMITS, MISP_MANIFEST_CONTEXT } from '@iodine/contracts'
import { z } from 'zod'
import { FeedError } from './public-fetch.js'
import { type Puller, refuseStatus } from './pull.js'

const MANIFEST_BYTES = 16_777_216
const SIGNATURE_BYTES = 4_096
/** Events of a run: as many as an import takes. */
const EVENTS_A_RUN = 1_000
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const cursorShape = z.object({
  etag: z.string().optional(),
  /** Timestamps of the events that have been pulled. */
  events: z.record(z.string(), z.string()).default({}),
})
type Cursor = z.output<typeof cursorShape>

const readCursor = (text: string | null): Cursor => {
  const cursor = cursorShape.safeParse(text === null ? {} : JSON.parse(text))
  return cursor.success ? cursor.data : { events: {} }
}

const fileUrl = (url: string, name: string): URL => {
  const at = new URL(url)
  at.pathname = `${at.pathname.replace(/(?:manifest\.json|\/)*$/, '')}/${name}`
  return at
}

const parse = (bytes: Buffer, what: string): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new FeedError(`${what} is not valid JSON`)
  }
}

/** Timestamps of a feed's events by their UUIDs. Throws FeedError for anything else in the manifest. */
const readManifest = (bytes: Buffer): Map<string, string> => {
  const manifest = z
    .record(z.string(), z.object({ timestamp: z.coerce.string().max(40) }))
    .safeParse(parse(bytes, 'The manifest'))
  if (!manifest.success) throw new FeedError('The manifest is none of a MISP feed')
  const events = Object.entries(manifest.data)
  if (events.length > LIMITS.feedEventsMax)
    throw new FeedError(`The feed has more than ${LIMITS.feedEventsMax.toLocaleString('en-US')} events`)
  if (!events.every(([uuid]) => UUID.test(uuid)))
    throw new FeedError('The manifest names something that is no event')
  return new Map(events.map(([uuid, { timestamp }]) => [uuid.toLowerCase(), timestamp]))
}

/** Checks the signature over a manifest: Ed25519, in base64. */
const isSigned = (publicKey: string, manifest: Buffer, signature: Buffer): boolean => {
  try {
    const key = createPublicKey(publicKey)
    const given = Buffer.from(signature.toString('latin1').trim(), 'base64')
    return (
      key.asymmetricKeyType === 'ed25519' &&
      verify(null, Buffer.concat([Buffer.from(MISP_MANIFEST_CONTEXT), manifest]), key, given)
    )
  } catch {
    return false
  }
}

/**
 * Pulls those events of a MISP feed that have changed since the cursor, oldest changes first. With a public key, the
 * manifest's signature is checked before anything in it is believed.
 * Source: MISP, "Feeds": a folder with manifest.json and a file for each event.
 */
export const pullMisp: Puller = async request => {
  const { fetch, url, authorization, publicKey, bounds, signal } = request
  const end = Date.now() + bounds.ms
  const cursor = readCursor(request.cursor)
  const get = async (name: string, bytesMax: number, headers: Record<string, string> = {}) => {
    const answer = await fetch.get(fileUrl(url, name), {
      headers: {
        accept: 'application/json',
        ...headers,
        ...(authorization !== undefined && { authorization }),
      },
      bytesMax,
      ms: Math.max(1, Math.min(60_000, end - Date.now())),
      signal,
    })
    refuseStatus(answer, 'file')
    return answer
  }
  let withdrawn: string[] = []
  const result = (events: Buffer[], next: Cursor, more: boolean) => {
    const comma = Buffer.from(',')
    const pieces = events.flatMap((event, n) => (n === 0 ? [event] : [comma, event]))
    const file =
      events.length === 0
        ? new Uint8Array()
        : new Uint8Array(Buffer.concat([Buffer.from('{"response":['), ...pieces, Buffer.from(']}')]))
    return { file, cursor: JSON.stringify(next), more, withdrawn }
  }

  const known: Record<string, string> = cursor.etag === undefined ? {} : { 'if-none-match': cursor.etag }
  const manifest = await get('manifest.json', MANIFEST_BYTES, known)
  if (manifest.status === 304) return { file: new Uint8Array(), cursor: request.cursor ?? '{}', more: false }
  if (publicKey !== null) {
    const signature = await get('manifest.json.sig', SIGNATURE_BYTES)
    if (!isSigned(publicKey, manifest.body, signature.body))
      throw new FeedError('The manifest is not signed with the key of this subscription')
  }
  const given = readManifest(manifest.body)
  withdrawn = Object.keys(cursor.events).filter(uuid => !given.has(uuid))
  const pulled = Object.fromEntries(Object.entries(cursor.events).filter(([uuid]) => given.has(uuid)))
  const changed = [...given]
    .filter(([uuid, timestamp]) => pulled[uuid] !== timestamp)
    .sort(([, a], [, b]) => Number(a) - Number(b))
  const events: Buffer[] = []
  let bytes = 0
  for (const [n, [uuid, timestamp]] of changed.entries()) {
    if (n > 0 && (n === Math.min(bounds.pages, EVENTS_A_RUN) || Date.now() > end))
      return result(events, { events: pulled }, true)
    let body: Buffer
    try {
      ;({ body } = await get(`${uuid}.json`, Math.min(MANIFEST_BYTES, bounds.bytes)))
      const event = z
        .object({ Event: z.object({ uuid: z.string() }) })
        .safeParse(parse(body, `Event ${uuid}`))
      if (!event.success || event.data.Event.uuid.toLowerCase() !== uuid)
        throw new FeedError(`Event ${uuid} is none, or another one`)
    } catch (error) {
      if (error instanceof FeedError && events.length > 0) return result(events, { events: pulled }, true)
      throw error
    }
    if (events.length > 0 && bytes + body.length > bounds.bytes)
      return result(events, { events: pulled }, true)
    events.push(body)
    bytes += body.length + 1
    pulled[uuid] = timestamp
  }
  const etag = manifest.header('etag')
  return result(events, { events: pulled, ...(etag !== undefined && etag.length <= 200 && { etag }) }, false)
}
