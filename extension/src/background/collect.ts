import type { Collected, CollectResult } from '../shared/messages'
import { sourceOf } from '../sources'
import { type Captures, LeftOut } from './captures'
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
  /** Collects the page of a tab, with captures if `sealing`. Its records are kept even if no capture can be. */
  collect(
    owner: string,
    input: { tabId: number; what: 'own' | 'all'; sealing: boolean },
  ): Promise<CollectResult | undefined>
  /** A page's answer to an order. Throws without one. */
  answer(place: Place, ticket: string, collected: readonly Collected[]): void
  /** Captures a page with a quote for an IOD. Resolves to the reason if there is no capture. */
  quote(
    owner: string,
    source: Omit<CaptureSource, 'trigger'>,
    quote: Pick<StoredQuote, 'iod' | 'place'>,
  ): Promise<string | undefined>
}

export const createCollector = (database: Database, queue: Queue, captures: Captures): Collector => {
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

  /** Keeps a capture. Resolves to the reason if there is none: that fails nothing else. */
  const keep = async (
    owner: string,
    source: CaptureSource,
    quote?: Pick<StoredQuote, 'iod' | 'place'>,
  ): Promise<string | undefined> => {
    try {
      await captures.add(owner, await makeCapture(source), quote)
      return undefined
    } catch (error) {
      return error instanceof LeftOut ? error.message : 'the page could not be captured'
    }
  }

  /** Has the popup say why there is no capture of what was read last; without reasons, nothing. */
  const tell = (reasons: Iterable<string>): Promise<void> =>
    writeSetting(database, 'leftOut', [...new Set(reasons)].join(', ') || undefined).catch(() => {})

  return {
    async collect(owner, { tabId, what, sealing }) {
      const shot = sealing && what === 'own' ? await takeScreenshot(tabId) : undefined
      const page = await read(tabId, what, sealing)
      const source = page && sourceOf(page.url)
      const collected = page?.collected.filter(({ captured }) => captured.source === source) ?? []
      if (!page || !source || collected.length === 0) return undefined
      const { queued, invalid, records } = await queue.add(
        owner,
        collected.map(({ captured }) => captured),
        { again: true },
      )
      const result: CollectResult = { queued, invalid, captures: 0, unread: 0 }
      const reasons: string[] = []
      for (const [position, { page: parts }] of collected.entries()) {
        const record = records[position]
        if (!sealing || !record || !parts) continue
        if ('problem' in parts) {
          reasons.push(parts.problem)
          continue
        }
        const screenshot = shot?.url === page.url ? shot : undefined
        const reason = await keep(owner, {
          url: page.url,
          source,
          trigger: 'collect',
          page: parts,
          record,
          screenshot,
        })
        if (reason !== undefined) reasons.push(reason)
        else result.captures += 1
        result.unread += parts.unread
      }
      await tell(reasons)
      return result
    },

    answer({ tabId, url }, ticket, collected) {
      const waiting = open.get(ticket)
      if (waiting?.tabId !== tabId) throw new Error('Not collecting here')
      open.delete(ticket)
      waiting.resolve({ tabId, url, collected })
    },

    async quote(owner, source, quote) {
      const reason = await keep(owner, { ...source, trigger: 'iod' }, quote)
      await tell(reason === undefined ? [] : [reason])
      return reason
    },
  }
}
