import { createPublicKey, verify } from 'node:crypto'
import { LIMITS, MISP_MANIFEST_CONTEXT } from '@iodine/contracts'
import { type Skipped, UnreadableFile } from '@iodine/exchange'
import { openFile } from '@iodine/exchange/intake'
import { z } from 'zod'
import { FeedError } from './public-fetch.js'
import { fileOf, type Pulled, type Puller, refuseStatus, skippedOf } from './pull.js'

const MANIFEST_BYTES = 16_777_216
const SIGNATURE_BYTES = 4_096
/** Events of a run: as many as an import takes. */
const EVENTS_A_RUN = 1_000
/** Events that could not be read: as many as are known, and as many as a run tries again. */
const BAD_MAX = 1_000
const RETRIED_A_RUN = 50
/** Statuses that concern the whole feed, not one file. */
const FEED_WIDE: ReadonlySet<number> = new Set([429, 503])
/** Statuses that concern one file or the whole feed: S3 answers 403 for a missing file. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403])
/** Consecutive failures and refusals that end a run. */
const FAILURES_MAX = 3
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const cursorShape = z.object({
  etag: z.string().optional(),
  /** Timestamps of the events that have been pulled. */
  events: z.record(z.string(), z.string()).default({}),
  /** Events that could not be read, and why; those tried longest ago first. */
  bad: z.record(z.string(), z.string()).default({}),
})
type Cursor = z.output<typeof cursorShape>

const readCursor = (text: string | null): Cursor => {
  const cursor = cursorShape.safeParse(text === null ? {} : JSON.parse(text))
  return cursor.success ? cursor.data : { events: {}, bad: {} }
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

/**
 * Timestamps of a feed's events by their UUIDs, and entries that are none. Throws FeedError for what is no manifest.
 * Only UUIDs name files: other names could lead anywhere.
 */
const readManifest = (bytes: Buffer): { events: Map<string, string>; skipped: Skipped[] } => {
  const manifest = z.record(z.string(), z.unknown()).safeParse(parse(bytes, 'The manifest'))
  if (!manifest.success) throw new FeedError('The manifest is none of a MISP feed')
  const entries = Object.entries(manifest.data)
  if (entries.length > LIMITS.feedEventsMax)
    throw new FeedError(`The feed has more than ${LIMITS.feedEventsMax.toLocaleString('en-US')} events`)
  const events = new Map<string, string>()
  const skipped: Skipped[] = []
  for (const [uuid, entry] of entries) {
    const timestamp = entryShape.safeParse(entry).data?.timestamp
    if (UUID.test(uuid) && timestamp !== undefined) events.set(uuid.toLowerCase(), String(timestamp))
    else {
      const reason = UUID.test(uuid) ? 'The manifest gives it no timestamp.' : 'Its name is no UUID.'
      skipped.push({ place: 'Manifest', value: uuid.slice(0, 200), reason })
    }
  }
  return { events, skipped }
}
const entryShape = z.object({ timestamp: z.union([z.string().max(40), z.number()]) })

/** Returns a text without its byte order marks, which may not stand within a file. */
const withoutMark = (body: Buffer): Buffer => {
  let start = 0
  while (body.subarray(start, start + 3).equals(MARK)) start += 3
  return body.subarray(start)
}
const MARK = Buffer.from('\uFEFF')

/** The number of an event's pieces. Throws UnreadableFile for an event that can't be imported. */
const piecesOf = (event: Buffer, uuid: string): number => {
  const opening = openFile('misp', event, {
    objects: LIMITS.importObjects,
    objectBytes: LIMITS.importObjectBytes,
    depth: LIMITS.jsonDepthMax,
  })
  let step = opening.next()
  while (!step.done) step = opening.next()
  const { spans, places = [] } = step.value
  const [first, ...others] = places.filter((place, n) => place?.format === 'misp' && place.event === n)
  if (others.length > 0 || first?.format !== 'misp' || first.key !== uuid)
    throw new UnreadableFile('It is none, or another one.')
  return spans.length
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
 * manifest's signature is checked before anything in it is believed. An event that can't be read is skipped, and read again
 * by later runs, until it can be read or changes.
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
  const known: Record<string, string> = cursor.etag === undefined ? {} : { 'if-none-match': cursor.etag }
  const manifest = await get('manifest.json', MANIFEST_BYTES, known)
  if (manifest.status === 304) return { file: new Uint8Array(), cursor: request.cursor ?? '{}', more: false }
  if (publicKey !== null) {
    const signature = await get('manifest.json.sig', SIGNATURE_BYTES)
    if (!isSigned(publicKey, manifest.body, signature.body))
      throw new FeedError('The manifest is not signed with the key of this subscription')
  }
  const { events: given, skipped } = readManifest(manifest.body)
  const stillGiven = (record: Record<string, string>) =>
    Object.fromEntries(Object.entries(record).filter(([uuid]) => given.has(uuid)))
  const withdrawn = Object.keys(cursor.events).filter(uuid => !given.has(uuid))
  const pulled = stillGiven(cursor.events)
  const bad = stillGiven(cursor.bad)
  const changed = [...given]
    .filter(([uuid, timestamp]) => pulled[uuid] !== timestamp)
    .sort(([, a], [, b]) => Number(a) - Number(b))
  // What could not be read may be repaired without a new timestamp.
  const again = Object.keys(bad).filter(uuid => pulled[uuid] === given.get(uuid))
  const wanted = [
    ...changed,
    ...again.slice(0, RETRIED_A_RUN).map(uuid => [uuid, given.get(uuid) ?? ''] as const),
  ]
  const events: Buffer[] = []
  let bytes = 0
  let pieces = 0
  const result = (more: boolean): Pulled => {
    const etag = manifest.header('etag')
    const isWhole = !more && Object.keys(bad).length === 0 && etag !== undefined && etag.length <= 200
    const next: Cursor = { ...(isWhole && { etag }), events: pulled, bad }
    const reasons = Object.entries(bad).map(([uuid, reason]) => ({
      place: `Event ${uuid}`,
      value: '',
      reason,
    }))
    return {
      file: fileOf(['{"response":[', ']}'], events),
      cursor: JSON.stringify(next),
      more,
      withdrawn,
      ...skippedOf([...skipped, ...reasons]),
    }
  }
  const skip = (uuid: string, timestamp: string, reason: string) => {
    pulled[uuid] = timestamp
    delete bad[uuid]
    if (Object.keys(bad).length < BAD_MAX) bad[uuid] = reason.slice(0, 200)
  }
  /** Consecutive failures and refusals. */
  let failures = 0

  for (const [n, [uuid, timestamp]] of wanted.entries()) {
    if (n > 0 && (n === Math.min(bounds.pages, EVENTS_A_RUN) || Date.now() > end))
      return result(n < changed.length)
    let body: Buffer
    try {
      ;({ body } = await get(`${uuid}.json`, Math.min(MANIFEST_BYTES, bounds.bytes)))
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      const { status } = error
      // What concerns the whole feed ends the run.
      if (Date.now() > end || (status !== undefined && FEED_WIDE.has(status))) {
        if (events.length > 0) return result(n < changed.length)
        throw error
      }
      skip(uuid, timestamp, error.message)
      const isFailure = status === undefined || status >= 500 || REFUSALS.has(status)
      if (isFailure && ++failures === FAILURES_MAX) return result(false)
      continue
    }
    failures = 0
    const event = withoutMark(body)
    let size: number
    try {
      size = piecesOf(event, uuid)
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      skip(uuid, timestamp, error.message)
      continue
    }
    const isFull = bytes + event.length > bounds.bytes || pieces + size > bounds.objects
    if (events.length > 0 && isFull) return result(true)
    pieces += size
    events.push(event)
    bytes += event.length + 1
    pulled[uuid] = timestamp
    delete bad[uuid]
  }
  return result(false)
}
