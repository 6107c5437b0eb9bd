import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@iodine/contracts'
import { sliceObjects, UnreadableFile } from '@iodine/exchange'
import { z } from 'zod'
import { FeedError, type FetchedAnswer } from './public-fetch.js'
import { type Puller, type PullRequest, refuseStatus } from './pull.js'

/** TAXII 2.1, 1.6.8: media type of requests and answers. */
const TAXII = 'application/taxii+json'
const PAGE = 1_000
/** An answer; pages of servers are far smaller. */
const PAGE_BYTES = 33_554_432
const RETRIES = 3

const cursorShape = z.object({
  /** X-TAXII-Date-Added-Last of the last page that was taken in whole. */
  added_after: z.string().optional(),
  /** Where a run went on that ended before the last page. */
  next: z.string().optional(),
})
type Cursor = z.output<typeof cursorShape>

/** A time as TAXII has them: fractions of any length. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?Z$/

const readCursor = (text: string | null): Cursor => {
  if (text === null) return {}
  const cursor = cursorShape.safeParse(JSON.parse(text))
  return cursor.success ? cursor.data : {}
}

/** The address of a collection's objects, from that of the collection or of its objects. */
const objectsUrl = (url: string): URL => {
  const at = new URL(url)
  at.search = ''
  at.pathname = at.pathname.replace(/\/*$/, '/').replace(/(?<!\/objects)\/$/, '/objects/')
  return at
}

interface Page {
  objects: Uint8Array[]
  more: boolean
  next: string | undefined
}

/** Reads an envelope (TAXII 2.1, 3.7), its objects byte for byte. */
const readPage = ({ header, body }: FetchedAnswer): Page => {
  const type = (header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== TAXII) throw new FeedError('The answer is not of TAXII 2.1: its media type is another one')
  try {
    const slicing = sliceObjects(body, {
      objects: LIMITS.importObjects,
      objectBytes: LIMITS.importObjectBytes,
      depth: LIMITS.jsonDepthMax,
    })
    let sliced = slicing.next()
    while (!sliced.done) sliced = slicing.next()
    const { spans, envelope } = sliced.value
    const isWithout = envelope === '[]'
    const [span] = spans
    const text = isWithout ? body.subarray(...(span ?? [0, 0])).toString() : envelope
    if (isWithout && (spans.length !== 1 || body.subarray(0, span?.[0]).includes(0x5b)))
      throw new UnreadableFile('The answer is a list.')
    const { more, next, objects } = JSON.parse(text) as Record<string, unknown>
    if (isWithout && objects !== undefined) throw new UnreadableFile('Its objects are no list.')
    return {
      objects: isWithout ? [] : spans.map(([start, end]) => body.subarray(start, end)),
      more: more === true,
      next: typeof next === 'string' && next !== '' && next.length <= 4_000 ? next : undefined,
    }
  } catch (error) {
    if (error instanceof UnreadableFile || error instanceof SyntaxError)
      throw new FeedError('The answer is no envelope of TAXII 2.1', { cause: error })
    throw error
  }
}

/** Asks again as often as the other side wants it to, as far as there is time. */
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
 * Pulls what a TAXII 2.1 collection has had since the cursor, page by page: `added_after` with `next`, then from
 * `X-TAXII-Date-Added-Last` on. A run that is broken off after some pages gives those.
 * Source: OASIS, TAXII Version 2.1, sections 3.4 and 5.4.
 */
export const pullTaxii: Puller = async request => {
  const { url, bounds } = request
  const end = Date.now() + bounds.ms
  const start = readCursor(request.cursor)
  let { added_after, next } = start
  /** Of the pages so far. */
  let last = added_after
  const objects: Uint8Array[] = []
  let bytes = 0
  const given = new Set<string>()
  const result = (cursor: Cursor, more: boolean) => {
    const comma = Buffer.from(',')
    const pieces = objects.flatMap((object, n) => (n === 0 ? [object] : [comma, object]))
    const file =
      objects.length === 0
        ? new Uint8Array()
        : new Uint8Array(
            Buffer.concat([Buffer.from('{"type":"bundle","objects":['), ...pieces, Buffer.from(']}')]),
          )
    return { file, cursor: JSON.stringify(cursor), more }
  }

  for (let pages = 0; ; pages++) {
    const at = objectsUrl(url)
    at.searchParams.set('limit', String(PAGE))
    if (added_after !== undefined) at.searchParams.set('added_after', added_after)
    if (next !== undefined) at.searchParams.set('next', next)
    /** Where a run goes on that ends before this page. */
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
      const said = answer.header('x-taxii-date-added-last')
      lastOfPage = said !== undefined && TIME.test(said) ? said : undefined
    } catch (error) {
      if (!(error instanceof FeedError)) throw error
      // The server has forgotten where the run before ended: all since its last whole one again.
      if (pages === 0 && next !== undefined && [400, 404, 410, 422].includes(error.status ?? 0)) {
        next = undefined
        pages = -1
        continue
      }
      if (objects.length > 0) return result(here, true)
      throw error
    }
    const size = page.objects.reduce((sum, { length }) => sum + length + 1, 0)
    if (
      objects.length > 0 &&
      (bytes + size > bounds.bytes || objects.length + page.objects.length > bounds.objects)
    )
      return result(here, true)
    objects.push(...page.objects)
    bytes += size
    last = lastOfPage ?? last
    if (!page.more) return result(last === undefined ? {} : { added_after: last }, false)
    if (page.next === undefined) {
      // TAXII 2.1, 3.4: without `next`, one goes on by time.
      if (lastOfPage === undefined || lastOfPage === added_after)
        throw new FeedError('The feed says that there is more, but not where')
      added_after = lastOfPage
      next = undefined
    } else {
      if (given.has(page.next)) throw new FeedError('The feed gives the same page again and again')
      given.add(page.next)
      next = page.next
    }
  }
}
