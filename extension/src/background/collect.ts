import { isRemovalNotice } from '@iodine/contracts'
import { Failure, sentenceOf } from '../shared/failures'
import type { Collected, CollectResult } from '../shared/messages'
import { type Captured, sourceOf } from '../sources'
import type { Captures } from './captures'
import { type Database, type StoredQuote, writeSetting } from './database'
import { type CaptureSource, makeCapture } from './make-capture'
import type { Queue } from './queue'
import { takeScreenshot } from './screenshot'
import { order, prepareTab } from './tabs'

/** A page as the browser says that it is: tab and address of the script that sent a message. */
export interface Place {
  tabId: number
  url: string
}

interface Answered extends Place {
  collected: readonly Collected[]
}

/** Collects a page, on the order of a person. */
export interface Collector {
  /**
   * Collects the page of a tab. Its records are kept when this resolves, even if no capture can be made; with
   * `sealing`, `capturing` resolves once its captures are made. Undefined if the page has no record.
   */
  collect(
    owner: string,
    input: { tabId: number; what: 'own' | 'all'; sealing: boolean },
  ): Promise<{ result: CollectResult; capturing: Promise<void> } | undefined>
  /** A page's answer to an order. Throws without one. */
  answer(place: Place, ticket: string, collected: readonly Collected[]): void
  /** Captures a page with a quote for an IOD. Resolves to the reason if there is no capture. */
  quote(
    owner: string,
    source: Omit<CaptureSource, 'trigger'>,
    quote: Pick<StoredQuote, 'iod' | 'place'>,
  ): Promise<string | undefined>
  /** Number of pages that are being captured. */
  making(): number
}

/** @param withLooks adds the hashes of pictures, in their order */
export const createCollector = (
  database: Database,
  queue: Queue,
  captures: Captures,
  withLooks: (captured: readonly Captured[]) => Promise<readonly Captured[]>,
): Collector => {
  /** The orders that no page has answered, by ticket. */
  const open = new Map<string, { tabId: number; resolve: (answer: Answered) => void }>()

  /** Has the page read by the script in it, which answers with a message: only that says whose page it was. */
  const read = async (
    tabId: number,
    what: 'own' | 'all',
    sealing: boolean,
  ): Promise<Answered | undefined> => {
    const ticket = crypto.randomUUID()
    let answered: Answered | undefined
    open.set(ticket, {
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
      open.delete(ticket)
    }
  }

  const reasonOf = (error: unknown): string =>
    error instanceof Failure ? error.message : sentenceOf('captureFailed')

  /** Keeps captures. Resolves to the reasons why some are not: that fails nothing else. */
  const keep = async (
    owner: string,
    sources: readonly CaptureSource[],
    quote?: Pick<StoredQuote, 'iod' | 'place'>,
  ): Promise<string[]> => {
    const made = await Promise.allSettled(sources.map(makeCapture))
    const captured = made.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    const failures = captured.length > 0 ? await captures.addAll(owner, captured, quote) : []
    return [
      ...made.flatMap(each => (each.status === 'rejected' ? [each.reason] : [])),
      ...failures.filter(failure => failure !== undefined),
    ].map(reasonOf)
  }

  /** Has the popup say what is missing of the page that was read last; nothing if nothing is. */
  const tell = (reasons: Iterable<string>, unread = 0): Promise<void> => {
    const sentences = [
      ...[...new Set(reasons)].map(reason => `The last page has no capture: ${reason}.`),
      ...(unread > 0 ? [picturesUnread(unread)] : []),
    ]
    return writeSetting(database, 'leftOut', sentences.join(' ') || undefined).catch(() => {})
  }

  /** Queues the notice of a removed post. */
  const noteRemoval = async (owner: string, notice: Captured): Promise<CollectResult> => {
    const time = await queue.collectedAt(owner, notice)
    const { invalid } = await queue.add(owner, [notice], { again: true })
    const absence = time ? sentenceOf('removedKept', { day: dayOf(time) }) : sentenceOf('removed')
    return { queued: 0, invalid, absence }
  }

  let making = 0
  /** Captures what was collected of a page, with the picture that was taken of it. */
  const captureAll = async (
    owner: string,
    { tabId, url, collected }: Answered,
    records: readonly (Captured['record'] | undefined)[],
    takesPicture: boolean,
  ): Promise<void> => {
    making += 1
    // It stands if the browser ends this script meanwhile; else the end of this replaces it.
    await tell([sentenceOf('captureStopped')])
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
      reasons.push(...(await keep(owner, sources)))
      await tell(reasons, unread)
    } finally {
      making -= 1
    }
  }

  return {
    async collect(owner, { tabId, what, sealing }) {
      const page = await read(tabId, what, sealing)
      const source = page && sourceOf(page.url)
      const collected = page?.collected.filter(({ captured }) => captured.source === source) ?? []
      const [first] = collected
      if (!page || !first) return undefined
      if (isRemovalNotice(first.captured.record))
        return { result: await noteRemoval(owner, first.captured), capturing: NOTHING }
      const { queued, invalid, records } = await queue.add(
        owner,
        await withLooks(collected.map(({ captured }) => captured)),
        { again: true },
      )
      return {
        result: { queued, invalid },
        // Nobody waits for the picture and the capture.
        capturing: sealing ? captureAll(owner, { ...page, collected }, records, what === 'own') : NOTHING,
      }
    },

    answer({ tabId, url }, ticket, collected) {
      const waiting = open.get(ticket)
      if (waiting?.tabId !== tabId) throw new Failure('notCollecting')
      open.delete(ticket)
      waiting.resolve({ tabId, url, collected })
    },

    async quote(owner, source, quote) {
      const reasons = await keep(owner, [{ ...source, trigger: 'iod' }], quote)
      await tell(reasons)
      return reasons[0]
    },

    making: () => making,
  }
}

const NOTHING = Promise.resolve()

const dayOf = (time: string): string =>
  new Date(time).toLocaleDateString('en-US', { year: 'numeric', month: 'short', day: 'numeric' })

const picturesUnread = (count: number): string =>
  count === 1
    ? 'A picture of the last page is not in its capture, as the page may not read it.'
    : `${count} pictures of the last page are not in its capture, as the page may not read them.`
