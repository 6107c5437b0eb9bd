import { createPublicKey, verify } from 'node:crypto'
import { LIMITS, MISP_MANIFEST_CONTEXT } from '@iodine/contracts'
import { type Skipped, UnreadableFile } from '@iodine/exchange'
import { openFile } from '@iodine/exchange/intake'
import { z } from 'zod'
import { FeedError } from './public-fetch.js'
import { fileOf, type Puller, type PullResult, refuseStatus, skippedOf } from './pull.js'

const MANIFEST_BYTES = 16_777_216
const SIGNATURE_BYTES = 4_096
/** Maximum events of a run: the limit of an import. */
const EVENTS_A_RUN = 1_000
/** Maximum unreadable events that are remembered, and that a run retries. */
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
  /** Unreadable events with their reasons; the least recently tried first. */
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
 * Returns the timestamps of a feed's events by UUID, and the invalid entries. Throws FeedError for an invalid manifest.
 * Only UUIDs may name files: other names could lead to any path.
 */
const readManifest = (bytes: Buffer): { events: Map<string, string>; skipped: Skipped[] } => {
  const manifest = z.record(z.string(), z.unknown()).safeParse(parse(bytes, 'The manifest'))
  if (!manifest.success) throw new FeedError('The file is not the manifest of a MISP feed')
  const entries = Object.entries(manifest.data)
  if (entries.length > LIMITS.feedEventsMax)
    throw new FeedError(`The feed has more than ${LIMITS.feedEventsMax.toLocaleString('en-US')} events`)
  const events = new Map<string, string>()
  const skipped: Skipped[] = []
  for (const [uuid, entry] of entries) {
    const timestamp = entryShape.safeParse(entry).data?.timestamp
    if (UUID.test(uuid) && timestamp !== undefined) events.set(uuid.toLowerCase(), String(timestamp))
    else {
      const reason = UUID.test(uuid) ? 'It has no timestamp in the manifest.' : 'Its name is not a UUID.'
      skipped.push({ place: 'Manifest', value: uuid.slice(0, 200), reason })
    }
  }
  return { events, skipped }
}
const entryShape = z.object({ timestamp: z.union([z.string().max(40), z.number()]) })

/** Returns a text without its byte order marks, which are invalid within a file. */
const withoutMark = (body: Buffer): Buffer => {
  let start = 0
  while (body.subarray(start, start + 3).equals(MARK)) start += 3
  return body.subarray(start)
}
const MARK = Buffer.from('\uFEFF')

/** Returns the number of an event's pieces. Throws UnreadableFile for an event that cannot be imported. */
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
    throw new UnreadableFile('The file is not a MISP event, or has another UUID.')
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

/** Creates the reader of a feed's files, which ends at the time `end`. */
const createFileReader =
  ({ fetch, url, authorization, signal }: Parameters<Puller>[0], end: number) =>
  async (name: string, bytesMax: number, headers: Record<string, string> = {}) => {
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

/** Returns the events to read, those with a new timestamp first. */
const wantedOf = (listed: ReadonlyMap<string, string>, { events, bad }: Cursor) => {
  const changed = [...listed]
    .filter(([uuid, timestamp]) => events[uuid] !== timestamp)
    .sort(([, a], [, b]) => Number(a) - Number(b))
  // An unreadable event may be repaired without a new timestamp.
  const retries = Object.keys(bad)
    .filter(uuid => events[uuid] === listed.get(uuid))
    .slice(0, RETRIED_A_RUN)
    .map(uuid => [uuid, listed.get(uuid) ?? ''] as const)
  return { changed: changed.length, wanted: [...changed, ...retries] }
}

/** Marks an event as unreadable. */
const skip = ({ events, bad }: Cursor, uuid: string, timestamp: string, reason: string): void => {
  events[uuid] = timestamp
  delete bad[uuid]
  if (Object.keys(bad).length < BAD_MAX) bad[uuid] = reason.slice(0, 200)
}

/**
 * Pulls the events of a MISP feed that have changed since the cursor, oldest changes first. With a public key, the
 * manifest's signature is verified before its use. An unreadable event is skipped, and retried by later runs until it
 * can be read or changes.
 * Source: MISP, "Feeds": a folder with manifest.json and a file for each event.
 */
export const pullMisp: Puller = async request => {
  const { publicKey, bounds } = request
  const end = Date.now() + bounds.ms
  const cursor = readCursor(request.cursor)
  const get = createFileReader(request, end)
  const known: Record<string, string> = cursor.etag === undefined ? {} : { 'if-none-match': cursor.etag }
  const manifest = await get('manifest.json', MANIFEST_BYTES, known)
  if (manifest.status === 304) return { file: new Uint8Array(), cursor: request.cursor ?? '{}', more: false }
  if (publicKey !== null) {
    const signature = await get('manifest.json.sig', SIGNATURE_BYTES)
    if (!isSigned(publicKey, manifest.body, signature.body))
      throw new FeedError('The manifest is not signed with the key of this subscription')
  }
  const { events: listed, skipped } = readManifest(manifest.body)
  const stillListed = (record: Record<string, string>) =>
    Object.fromEntries(Object.entries(record).filter(([uuid]) => listed.has(uuid)))
  const withdrawn = Object.keys(cursor.events).filter(uuid => !listed.has(uuid))
  const next: Cursor = { events: stillListed(cursor.events), bad: stillListed(cursor.bad) }
  const { changed, wanted } = wantedOf(listed, next)
  const events: Buffer[] = []
  let bytes = 0
  let pieces = 0
  const result = (more: boolean): PullResult => {
    const etag = manifest.header('etag')
    const reasons = Object.entries(next.bad).map(([uuid, reason]) => ({
      place: `Event ${uuid}`,
      value: '',
      reason,
    }))
    const isWhole = !more && reasons.length === 0 && etag !== undefined && etag.length <= 200
    return {
      file: fileOf(['{"response":[', ']}'], events),
      cursor: JSON.stringify({ ...(isWhole && { etag }), ...next }),
      more,
      withdrawn,
      ...skippedOf([...skipped, ...reasons]),
    }
  }
  /** Consecutive failures and refusals. */
  let failures = 0

  for (const [n, [uuid, timestamp]] of wanted.entries()) {
    if (n > 0 && (n === Math.min(bounds.pages, EVENTS_A_RUN) || Date.now() > end)) return result(n < changed)
    let body: Buffer
    try {
      ;({ body } = await get(`${uuid}.json`, Math.min(MANIFEST_BYTES, bounds.bytes)))
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      const { status } = error
      // A failure of the whole feed ends the run.
      if (Date.now() > end || (status !== undefined && FEED_WIDE.has(status))) {
        if (events.length > 0) return result(n < changed)
        throw error
      }
      skip(next, uuid, timestamp, error.message)
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
      skip(next, uuid, timestamp, error.message)
      continue
    }
    const isFull = bytes + event.length > bounds.bytes || pieces + size > bounds.objects
    if (events.length > 0 && isFull) return result(true)
    pieces += size
    events.push(event)
    bytes += event.length + 1
    next.events[uuid] = timestamp
    delete next.bad[uuid]
  }
  return result(false)
}
