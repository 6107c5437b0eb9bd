import { isRemovalNotice } from '@iodine/contracts'
import { Failure, sentenceOf } from '../shared/failures'
import type { Collected, CollectResult } from '../shared/messages'
import { type Captured, sourceOf } from '../sources'
import type { Captures, NewQuote } from './captures'
import { type Database, writeSetting } from './database'
import { type CaptureSource, makeCapture } from './make-capture'
import type { Queue } from './queue'
import { takeScreenshot } from './screenshot'
import { order, prepareTab } from './tabs'

/** Tab and URL of the content script that sent a message, as stated by the browser. */
export interface TabPage {
  tabId: number
  url: string
}

interface PageResponse extends TabPage {
  collected: readonly Collected[]
}

const reasonOf = (error: unknown): string =>
  error instanceof Failure ? error.message : sentenceOf('captureFailed')

export interface CollectorParts {
  database: Database
  queue: Queue
  captures: Captures
  /** Adds the hashes of pictures, preserving the order. */
  withImageHashes: (captured: readonly Captured[]) => Promise<readonly Captured[]>
}

/** The collection of pages on a user's action. */
export class Collector {
  /** Unanswered orders by ticket. */
  readonly #open = new Map<string, { tabId: number; resolve: (answer: PageResponse) => void }>()
  readonly #parts: CollectorParts
  #making = 0

  constructor(parts: CollectorParts) {
    this.#parts = parts
  }

  /**
   * Orders the content script to read the page. It answers in a message, since only messages carry a verified sender.
   */
  async #read(tabId: number, what: 'own' | 'all', sealing: boolean): Promise<PageResponse | undefined> {
    const ticket = crypto.randomUUID()
    let answered: PageResponse | undefined
    this.#open.set(ticket, {
      tabId,
      resolve: answer => {
        answered = answer
      },
    })
    try {
      await prepareTab(tabId)
      await order(tabId, { order: 'collect', what, ticket, sealing })
      return answered
    } finally {
      this.#open.delete(ticket)
    }
  }

  /** Stores captures. Resolves to the reasons of those that failed; a failure does not affect the others. */
  async #keep(owner: string, sources: readonly CaptureSource[], quote?: NewQuote): Promise<string[]> {
    const made = await Promise.allSettled(sources.map(makeCapture))
    const captured = made.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    const failures = captured.length > 0 ? await this.#parts.captures.addAll(owner, captured, quote) : []
    return [
      ...made.flatMap(each => (each.status === 'rejected' ? [each.reason] : [])),
      ...failures.filter(failure => failure !== undefined),
    ].map(reasonOf)
  }

  /** Stores the sentences with which the popup reports the missing parts of the last capture. */
  #reportMissing(reasons: Iterable<string>, unread = 0): Promise<void> {
    const sentences = [
      ...[...new Set(reasons)].map(reason => `The last page has no capture: ${reason}.`),
      ...(unread > 0 ? [picturesUnread(unread)] : []),
    ]
    return writeSetting(this.#parts.database, 'leftOut', sentences.join(' ') || undefined).catch(() => {})
  }

  /** Queues the removal notice of a post. */
  async #queueRemoval(owner: string, notice: Captured): Promise<CollectResult> {
    const { queue } = this.#parts
    const time = await queue.collectedAt(owner, notice)
    const { invalid } = await queue.add(owner, [notice], { resend: true })
    const absence = time ? sentenceOf('removedKept', { day: dayOf(time) }) : sentenceOf('removed')
    return { queued: 0, invalid, absence }
  }

  /** Captures the collected records of a page, with a screenshot if `takesPicture`. */
  async #captureAll(
    owner: string,
    { tabId, url, collected }: PageResponse,
    records: readonly (Captured['record'] | undefined)[],
    takesPicture: boolean,
  ): Promise<void> {
    this.#making += 1
    // Stored first, in case the browser ends this script; replaced once the captures are made.
    await this.#reportMissing([sentenceOf('captureStopped')])
    try {
      const shot = takesPicture ? await takeScreenshot(tabId) : undefined
      const screenshot = shot?.url === url ? shot : undefined
      const reasons: string[] = []
      const sources: CaptureSource[] = []
      let unread = 0
      for (const [position, { captured, page }] of collected.entries()) {
        const record = records[position]
        if (!record || !page) continue
        if ('problem' in page) reasons.push(page.problem)
        else {
          sources.push({ url, source: captured.source, trigger: 'collect', page, record, screenshot })
          unread += page.unread
        }
      }
      reasons.push(...(await this.#keep(owner, sources)))
      await this.#reportMissing(reasons, unread)
    } finally {
      this.#making -= 1
    }
  }

  /**
   * Collects the page of a tab. Its records are stored when this resolves, even without a capture. With `sealing`,
   * `capturing` resolves once its captures are stored. Resolves to undefined if the page has no record.
   */
  async collect(
    owner: string,
    { tabId, what, sealing }: { tabId: number; what: 'own' | 'all'; sealing: boolean },
  ): Promise<{ result: CollectResult; capturing: Promise<void> } | undefined> {
    const { queue, withImageHashes } = this.#parts
    const page = await this.#read(tabId, what, sealing)
    const source = page && sourceOf(page.url)
    const collected = page?.collected.filter(({ captured }) => captured.source === source) ?? []
    const [first] = collected
    if (!page || !first) return undefined
    if (isRemovalNotice(first.captured.record))
      return { result: await this.#queueRemoval(owner, first.captured), capturing: RESOLVED }
    const { queued, invalid, records } = await queue.add(
      owner,
      await withImageHashes(collected.map(({ captured }) => captured)),
      { resend: true },
    )
    return {
      result: { queued, invalid },
      // The response does not wait for the screenshot and the capture.
      capturing: sealing
        ? this.#captureAll(owner, { ...page, collected }, records, what === 'own')
        : RESOLVED,
    }
  }

  /** Accepts a page's response to an order. @throws Failure if no order of this tab has this ticket */
  answer({ tabId, url }: TabPage, ticket: string, collected: readonly Collected[]): void {
    const waiting = this.#open.get(ticket)
    if (waiting?.tabId !== tabId) throw new Failure('notCollecting')
    this.#open.delete(ticket)
    waiting.resolve({ tabId, url, collected })
  }

  /** Captures a page with a quote for an IOD. Resolves to the reason if there is no capture. */
  async quote(
    owner: string,
    source: Omit<CaptureSource, 'trigger'>,
    quote: NewQuote,
  ): Promise<string | undefined> {
    const reasons = await this.#keep(owner, [{ ...source, trigger: 'iod' }], quote)
    await this.#reportMissing(reasons)
    return reasons[0]
  }

  /** Returns the number of captures in progress. */
  making(): number {
    return this.#making
  }
}

const RESOLVED = Promise.resolve()

const dayOf = (time: string): string =>
  new Date(time).toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric' })

const picturesUnread = (count: number): string =>
  count === 1
    ? 'A picture of the last page could not be read and is missing from its capture.'
    : `${count} pictures of the last page could not be read and are missing from its capture.`
