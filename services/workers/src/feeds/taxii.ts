import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@iodine/contracts'
import { isLaterTaxiiTime, readTaxiiTime, type Skipped, sliceObjects, UnreadableFile } from '@iodine/exchange'
import { z } from 'zod'
import { FeedError, type FetchedAnswer, TooLargeError } from './public-fetch.js'
import { fileOf, type Puller, type PullRequest, refuseStatus } from './pull.js'

/** Media type of requests and responses (TAXII 2.1, 1.6.8). */
const TAXII = 'application/taxii+json'
const PAGE = 1_000
/** Maximum bytes of a response; pages of servers are far smaller. */
const PAGE_BYTES = 33_554_432
const RETRIES = 3

const cursorShape = z.object({
  /** X-TAXII-Date-Added-Last of the last completely pulled page. */
  added_after: z.string().optional(),
  /** Position at which to continue a run that ended before the last page. */
  next: z.string().optional(),
})
type Cursor = z.output<typeof cursorShape>

const readCursor = (text: string | null): Cursor => {
  if (text === null) return {}
  const cursor = cursorShape.safeParse(JSON.parse(text))
  if (!cursor.success) return {}
  const { added_after, next } = cursor.data
  const time = readTaxiiTime(added_after)
  return { ...(time !== undefined && { added_after: time }), ...(next !== undefined && { next }) }
}

/** Returns the URL of a collection's objects, from that of the collection or of its objects. */
const objectsUrl = (url: string): URL => {
  const at = new URL(url)
  at.search = ''
  at.pathname = at.pathname.replace(/\/*$/, '/').replace(/(?<!\/objects)\/$/, '/objects/')
  return at
}

interface Page {
  objects: Uint8Array[]
  /** Unreadable entries. */
  skipped: Skipped[]
  /** The JSON text of the list of both. */
  list: Uint8Array
  /** Size of the response. */
  bytes: number
  more: boolean
  next: string | undefined
}

/**
 * Returns the position of the next page. Older versions of OpenCTI send a number.
 * @param envelope the JSON text: parsing would round numbers past 2⁵³
 */
const readNext = (next: unknown, envelope: string): string | undefined => {
  // Another field may contain a `next` as well.
  const digits = () =>
    [...envelope.matchAll(/"next"\s*:\s*(-?\d+)\s*[,}]/g)].find(([, each]) => Number(each) === next)?.[1]
  const text = typeof next === 'number' ? (digits() ?? String(next)) : next
  return typeof text === 'string' && text !== '' && text.length <= 4_000 ? text : undefined
}

/** Reads an envelope (TAXII 2.1, 3.7) and preserves its objects byte for byte. */
const readPage = ({ header, body }: FetchedAnswer): Page => {
  const type = (header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== TAXII) throw new FeedError('The response is not TAXII 2.1: it has another media type')
  try {
    const slicing = sliceObjects(body, {
      objects: LIMITS.importObjects,
      objectBytes: LIMITS.importObjectBytes,
      depth: LIMITS.jsonDepthMax,
    })
    let sliced = slicing.next()
    while (!sliced.done) sliced = slicing.next()
    const { spans, skipped, list, envelope } = sliced.value
    const isWithout = envelope === '[]'
    const [span] = spans
    const text = isWithout ? body.subarray(...(span ?? [0, 0])).toString() : envelope
    if (isWithout && (spans.length !== 1 || body.subarray(0, span?.[0]).includes(0x5b)))
      throw new UnreadableFile('The response is a list.')
    const { more, next: given, objects: other } = JSON.parse(text) as Record<string, unknown>
    if (isWithout && other !== undefined && other !== null)
      throw new UnreadableFile('Its objects are not a list.')
    const objects = isWithout ? [] : spans.map(([start, end]) => body.subarray(start, end))
    const next = readNext(given, text)
    return {
      objects,
      skipped,
      list: body.subarray(...list),
      bytes: body.length,
      // Some servers omit `more` and send only `next`.
      more:
        more === true || more === 'true' || (more === undefined && next !== undefined && objects.length > 0),
      next,
    }
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof SyntaxError)
      throw new FeedError('The response is not an envelope of TAXII 2.1', { cause: error })
    throw error
  }
}

/** Requests a page. Retries after the delay that the server requests, as far as the time suffices. */
const getPage = async (
  { fetch, authorization, bounds, signal }: PullRequest,
  url: URL,
  end: number,
): Promise<FetchedAnswer> => {
  for (let tries = 0; ; tries++) {
    const answer = await fetch.get(url, {
      headers: {
        accept: `${TAXII};version=2.1`,
        ...(authorization !== undefined && { authorization }),
      },
      bytesMax: Math.min(PAGE_BYTES, bounds.bytes),
      ms: Math.max(1, Math.min(60_000, end - Date.now())),
      signal,
    })
    try {
      refuseStatus(answer, 'collection')
      return answer
    } catch (error) {
      const retryMs = error instanceof FeedError ? error.retryMs : undefined
      const isLate = retryMs === undefined || retryMs > bounds.pauseMs || Date.now() + retryMs > end
      if (isLate || tries === RETRIES) throw error
      await sleep(retryMs, undefined, { signal })
    }
  }
}

/**
 * Pulls the objects that a TAXII 2.1 collection has received since the cursor, page by page: `added_after` with `next`,
 * then from `X-TAXII-Date-Added-Last` on. A run that is interrupted after some pages returns those.
 * Source: OASIS, TAXII Version 2.1, sections 3.4 and 5.4.
 */
export const pullTaxii: Puller = async request => {
  const { url, bounds } = request
  const end = Date.now() + bounds.ms
  const start = readCursor(request.cursor)
  let { added_after, next } = start
  let limit = PAGE
  /** Latest time of the pages so far. */
  let last = added_after
  const objects: Uint8Array[] = []
  const skipped = { count: 0, listed: [] as Skipped[] }
  /** Bytes of the responses so far, which are at least as large as their objects. */
  let bytes = 0
  /** Positions and contents of the pages so far: a server that repeats them would never end. */
  const seen = new Set<string>()
  const isRepeated = (what: string): boolean => seen.size === seen.add(what).size
  const result = (cursor: Cursor, more: boolean) => ({
    file: fileOf(['{"type":"bundle","objects":[', ']}'], objects),
    cursor: JSON.stringify(cursor),
    more,
    ...(skipped.count > 0 && { skipped }),
  })

  for (let pages = 0; ; pages++) {
    const at = objectsUrl(url)
    at.searchParams.set('limit', String(limit))
    if (added_after !== undefined) at.searchParams.set('added_after', added_after)
    if (next !== undefined) at.searchParams.set('next', next)
    /** Cursor of a run that ends before this page. */
    const here: Cursor = {
      ...(added_after !== undefined && { added_after }),
      ...(next !== undefined && { next }),
    }
    if (pages > 0 && (pages === bounds.pages || Date.now() > end)) return result(here, true)
    let page: Page
    let lastOfPage: string | undefined
    try {
      const answer = await getPage(request, at, end)
      page = readPage(answer)
      lastOfPage = readTaxiiTime(answer.header('x-taxii-date-added-last'))
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      // The server has forgotten the position of the previous run: restarts from the last complete page's time.
      if (pages === 0 && next !== undefined && [400, 404, 410, 422].includes(error.status ?? 0)) {
        next = undefined
        pages = -1
        continue
      }
      if (error instanceof TooLargeError && limit > 1) {
        limit = Math.ceil(limit / 10)
        continue
      }
      if (objects.length > 0) return result(here, true)
      throw error
    }
    const entries = page.objects.length + page.skipped.length
    const isFull =
      bytes + page.bytes > bounds.bytes || objects.length + skipped.count + entries > bounds.objects
    if (bytes > 0 && isFull) return result(here, true)
    if (entries > 0 && isRepeated(`page ${createHash('sha256').update(page.list).digest('hex')}`))
      throw new FeedError('The feed returns the same page repeatedly')
    for (const object of page.objects) objects.push(object)
    skipped.count += page.skipped.length
    for (const each of page.skipped.slice(0, LIMITS.invalidListed - skipped.listed.length))
      skipped.listed.push(each)
    bytes += page.bytes
    if (lastOfPage !== undefined && isLaterTaxiiTime(lastOfPage, last)) last = lastOfPage
    if (!page.more) return result(last === undefined ? {} : { added_after: last }, false)
    if (page.next === undefined) {
      // TAXII 2.1, 3.4: without `next`, paging continues by time.
      if (lastOfPage === undefined || !isLaterTaxiiTime(lastOfPage, added_after))
        throw new FeedError('The feed has more objects, but returns no cursor for them')
      added_after = lastOfPage
      next = undefined
    } else {
      if (page.next === next || isRepeated(`next ${added_after} ${page.next}`))
        throw new FeedError('The feed returns the same page repeatedly')
      next = page.next
    }
  }
}
