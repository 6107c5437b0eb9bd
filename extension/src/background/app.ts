import { ApiError, parseUrl } from '@iodine/contracts'
import { Failure, failureOf, sentenceOf } from '../shared/failures'
import type { Answer, ContentRequests, PageRequests } from '../shared/messages'
import type { Captured } from '../sources'
import { endSession, requireAccount } from './accounts'
import { tokenOf } from './api'
import { Captures } from './captures'
import { Collector, type TabPage } from './collect'
import { createContentRequests } from './content-requests'
import { type Database, readSetting, writeSetting } from './database'
import { refreshLists, resumeKeeping, stopKeeping, stopKeepingAll } from './keep'
import { createMarking } from './marking'
import { Overlay } from './overlay'
import { createPageRequests } from './page-requests'
import { keptAwake, type Parts } from './parts'
import { createPictureHasher } from './picture-hashes'
import { Queue } from './queue'
import { Sender } from './sender'
import { isPermitted, patternOf } from './sites'
import {
  isFirstStart,
  order,
  prepareTab,
  readEnded,
  readKeeping,
  readPendingSite,
  writeEnded,
  writePendingSite,
} from './tabs'

/** Name of the alarm that sends the queued records. */
export const SEND = 'send'
/** Time in which the user can answer a request for a permission. */
const ANSWER_MS = 120_000
const UPDATED = 'the collector was updated or restarted'
/** Browsers fire alarms at most twice a minute. Shorter waits use a timer, with the alarm as a fallback. */
const SHORT_MS = 30_000

type Handler = (input: unknown) => Promise<unknown>

/**
 * Returns the current URL of a document. A sender's URL is the one at load; the tab's URL follows history changes. The
 * tab's URL is used only for the same origin: the tab may show another page already.
 */
const currentAddress = (loaded: string, ofTab: string | undefined): string =>
  ofTab && parseUrl(ofTab)?.origin === new URL(loaded).origin ? ofTab : loaded

/** Creates the function that returns the handler of a message, if its sender is allowed to send it. */
const createRouter =
  (pages: ReturnType<typeof createPageRequests>, content: ReturnType<typeof createContentRequests>) =>
  (name: unknown, from: chrome.runtime.MessageSender): Handler | undefined => {
    if (from.id !== chrome.runtime.id || typeof name !== 'string') return undefined
    // Extension pages have the extension's origin, content scripts the URL of their page. Only the top frame is
    // accepted.
    if (from.url?.startsWith(chrome.runtime.getURL('')))
      return Object.hasOwn(pages, name) ? (pages[name as keyof PageRequests] as Handler) : undefined
    const { tab, frameId, url } = from
    if (tab?.id === undefined || frameId !== 0 || !url || !Object.hasOwn(content, name)) return undefined
    const place = { tabId: tab.id, url: currentAddress(url, tab.url) }
    const handler = content[name as keyof ContentRequests] as (
      input: unknown,
      place: TabPage,
    ) => Promise<unknown>
    return input => handler(input, place)
  }

/** Resumes Keep collecting and marking after an update of the extension. */
const resume = async ({ refresh, tabsOf, isReading, markedSites }: Parts['marking']): Promise<void> => {
  if (!(await isFirstStart())) return
  // An update removes the registered scripts and disconnects those in open pages.
  await refresh()
  for (const { id } of await tabsOf((await isReading()) ? await markedSites() : []))
    if (id !== undefined) await prepareTab(id).catch(() => {})
  for (const [id, origin] of Object.entries(await readKeeping())) {
    const open = await chrome.tabs.get(Number(id)).catch(() => undefined)
    // Without the permission for its site, a tab has no URL.
    if (open && (!open.url || new URL(open.url).origin === origin)) await resumeKeeping(Number(id), UPDATED)
    else await stopKeeping(Number(id))
  }
}

/** Ends the session after a 401 for its current token. Resolves to whether the error is a 401. */
const endIfRefused = async (database: Database, error: unknown): Promise<boolean> => {
  if (!(error instanceof ApiError && error.status === 401)) return false
  await endSession(database, tokenOf(error))
  return true
}

/** Creates a watch of storage operations, whose last failure is shown to the user. */
const createStorageWatch = (): Pick<Parts, 'problem' | 'trackStorage'> => {
  /** Not stored: the disk may be full. */
  let problem = ''
  return {
    problem: () => problem,
    async trackStorage(work) {
      try {
        const done = await work
        problem = ''
        return done
      } catch (error) {
        const failure = failureOf(error)
        if (failure instanceof Failure && /^storage/.test(failure.kind)) problem = failure.message
        throw failure
      }
    },
  }
}

/** Creates the function that sends what is queued, and sends again when the server accepts more. */
const createSend = ({
  trackStorage,
  ...stores
}: Pick<Parts, 'database' | 'queue' | 'captures' | 'trackStorage'>): Parts['send'] => {
  const wakeAt = (time: number) => {
    const wait = time - Date.now()
    if (wait < SHORT_MS) setTimeout(send, Math.max(0, wait))
    chrome.alarms.create(SEND, { when: Math.max(time, Date.now() + SHORT_MS) })
  }
  const sender = new Sender({ ...stores, wakeAt })
  const send = async (options?: { force: boolean }): Promise<void> => {
    // The alarm retries if the browser ends this script or the run throws.
    chrome.alarms.create(SEND, { when: Date.now() + SHORT_MS })
    try {
      const { isDone } = await trackStorage(keptAwake(sender.flush(options)))
      if (isDone) await chrome.alarms.clear(SEND)
    } catch {}
  }
  return send
}

const createParts = (database: Database): Parts => {
  const queue = new Queue(database)
  const captures = new Captures(database)
  const addHashes = createPictureHasher()
  const hashesImages = async () => (await readSetting(database, 'looking')) ?? false
  const withImageHashes = async (captured: readonly Captured[]): Promise<readonly Captured[]> =>
    (await hashesImages()) ? addHashes(captured) : captured
  const { problem, trackStorage } = createStorageWatch()
  const send = createSend({ database, queue, captures, trackStorage })
  const collector = new Collector({ database, queue, captures, withImageHashes })
  const overlay = new Overlay(database, () => requireAccount(database))

  const isSealing = async () => (await readSetting(database, 'sealing')) ?? true
  const marking = createMarking(database, overlay)
  const refreshOverlay = () =>
    marking.refreshOverlay().catch(async error => void (await endIfRefused(database, error)))
  return {
    database,
    queue,
    captures,
    collector,
    overlay,
    marking,
    isSealing,
    hashesImages,
    withImageHashes,
    problem,
    trackStorage,
    send,
    refreshOverlay,
  }
}

/** Creates the background script's logic, without its event listeners. */
export const createApp = (database: Database) => {
  const parts = createParts(database)
  const { marking, send, refreshOverlay } = parts
  const handlerFor = createRouter(createPageRequests(parts), createContentRequests(parts))

  /** Returns an error's message for the user. A 401 ends the session. */
  const messageOf = async (error: unknown): Promise<string> => {
    if (await endIfRefused(database, error)) return sentenceOf('sessionEnded')
    return failureOf(error).message
  }

  let starting: Promise<void> = Promise.resolve()

  return {
    /** Answers a message. Returns undefined if its sender is not allowed to send it. */
    handle(message: unknown, from: chrome.runtime.MessageSender): Promise<Answer<unknown>> | undefined {
      const name =
        typeof message === 'object' && message !== null && 'name' in message ? message.name : undefined
      return handlerFor(
        name,
        from,
      )?.(message)
        .then((value): Answer<unknown> => ({ ok: true, value: value ?? null }))
        .catch(async (error): Promise<Answer<unknown>> => ({ ok: false, error: await messageOf(error) }))
    },
    send,
    refreshOverlay,
    /** Resumes Keep collecting and marking after an update of the extension. The icon and the popup show each failure. */
    started(): Promise<void> {
      const done = resume(marking)
      starting = done.catch(() => {})
      return done
    },
    /** Ends Keep collecting in all tabs: tab ids change with a start of the browser. Call it after `started`. */
    async browserStarted(): Promise<void> {
      await starting
      await stopKeepingAll()
      for (const tabId of Object.keys(await readEnded())) await stopKeeping(Number(tabId))
    },
    /** Continues collecting in a reloaded page, and ends it on another site or without the permission. */
    async pageLoaded(tabId: number): Promise<void> {
      if ((await readKeeping())[tabId]) await resumeKeeping(tabId)
      else await writeEnded(tabId)
    },
    tabClosed: (tabId: number) => stopKeeping(tabId),
    /** Marks the site whose permission the user has just granted, also if that closed the popup. */
    async permissionsAdded(): Promise<void> {
      await refreshLists()
      const site = await readPendingSite()
      if (!site || !(await isPermitted(site.pattern))) return
      await writePendingSite(undefined)
      // A later permission, for another purpose, marks nothing.
      if (Date.now() - site.at > ANSWER_MS) return
      await marking.setSite(site.tabId, site.pattern, true)
      await refreshOverlay()
    },
    async permissionsRemoved(): Promise<void> {
      const before = (await readSetting(database, 'markedSites')) ?? []
      const sites = await marking.markedSites()
      await writeSetting(database, 'markedSites', sites)
      await marking.refresh()
      await refreshLists()
      const ended = before.filter(site => !sites.includes(site))
      for (const { id, url } of await chrome.tabs.query({}))
        if (id !== undefined && (!url || ended.includes(patternOf(url) ?? '')))
          await order(id, { order: 'mark', on: false }).catch(() => {})
    },
  }
}

export type App = ReturnType<typeof createApp>
