import {
  ApiError,
  foldIod,
  foldValue,
  type Iod,
  isHttpUrl,
  LIMITS,
  pageAddress,
  SOURCE_TYPE_OF,
} from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import { Failure, failureOf, sentenceOf, unsupportedReason } from '../shared/failures'
import type {
  Answer,
  ContentRequests,
  CreatedIod,
  InputOf,
  KnownValue,
  Order,
  PageRequests,
  QuotedPage,
  RequestName,
  ValueOf,
} from '../shared/messages'
import { type Captured, channelPage, sourceOf } from '../sources'
import { readServer, requireAccount, serverOf, signIn, signOut } from './accounts'
import { callApi, endpoints, tokenOf } from './api'
import { createCaptures } from './captures'
import { createCollector, type TabPage } from './collect'
import { type Account, type Database, ownerOf, readSetting, writeSetting } from './database'
import { captureAddress } from './make-capture'
import { createOverlay, knownValue } from './overlay'
import { createPictureHasher } from './picture-hashes'
import { createQueue } from './queue'
import { createSender } from './sender'
import { patternOf, permittedOf, registerLists, registerMarking } from './sites'
import {
  isFirstStart,
  order,
  prepareTab,
  readEnded,
  readKeeping,
  showBadge,
  watchLists,
  writeEnded,
  writeKeeping,
} from './tabs'

/** Name of the alarm that sends the queued records. */
export const SEND = 'send'
/** Name of the alarm that downloads the known IODs. Its times do not depend on visited pages (privacy). */
export const OVERLAY = 'overlay'
const OVERLAY_MINUTES = 5
const UPDATED = 'the collector was updated or restarted'
/** Maximum characters that one `scan` message may contain. */
const SCAN_MAX = 1_000_000
const APP_PATH = /^\/dashboard\/(iods|campaigns)\/[0-9a-f]{24}$/
/** Browsers fire alarms at most twice a minute. Shorter waits use a timer, with the alarm as a fallback. */
const SHORT_MS = 30_000
/** Browsers end an idle background after 30 s, also while a request with a large blob is pending. */
const AWAKE_MS = 20_000

/** Returns the failure for a page without a post. On Telegram's pages, it names the channel's page. */
const noPostFailure = (address = ''): Failure => {
  const page = channelPage(address)
  return page ? new Failure('nothingInChannel', { page }) : new Failure('nothingHere')
}

type Handler = (input: unknown) => Promise<unknown>
/** The result of a handler: undefined for a null answer. */
type ResultOf<N extends RequestName> = ValueOf<N> extends null ? undefined : ValueOf<N>

/**
 * Returns the current URL of a document. A sender's URL is the one at load; the tab's URL follows history changes. The
 * tab's URL is used only for the same origin: the tab may show another page already.
 */
const currentAddress = (loaded: string, ofTab: string | undefined): string =>
  ofTab && URL.canParse(ofTab) && new URL(ofTab).origin === new URL(loaded).origin ? ofTab : loaded

/** Keeps the background script alive until `work` is done, by calling a browser API every 20 s. */
const keptAwake = async <T>(work: Promise<T>): Promise<T> => {
  const awake = setInterval(() => chrome.runtime.getPlatformInfo(), AWAKE_MS)
  try {
    return await work
  } finally {
    clearInterval(awake)
  }
}

/** The background script's logic, without its event listeners. */
export interface App {
  /** Answers a message. Returns undefined if its sender is not allowed to send it. */
  handle(message: unknown, from: chrome.runtime.MessageSender): Promise<Answer<unknown>> | undefined
  send(options?: { force: boolean }): void
  /** Downloads the known IODs, if they are marked on any site. */
  refreshOverlay(): Promise<void>
  /** Resumes Keep collecting and marking after an update of the extension. The icon and the popup show each failure. */
  started(): Promise<void>
  /** Ends Keep collecting in all tabs: tab ids change with a start of the browser. Call it after `started`. */
  browserStarted(): Promise<void>
  /** Continues collecting in a reloaded page, and ends it on another site or without the permission. */
  pageLoaded(tabId: number): Promise<void>
  tabClosed(tabId: number): Promise<void>
  permissionsRemoved(): Promise<void>
}

export const createApp = (database: Database): App => {
  const queue = createQueue(database)
  const captures = createCaptures(database)
  const pictureHasher = createPictureHasher()
  const hashesImages = async () => (await readSetting(database, 'looking')) ?? false
  /** Adds the hashes of pictures to records, if the user has enabled it. */
  const withImageHashes = async (captured: readonly Captured[]): Promise<readonly Captured[]> =>
    (await hashesImages()) ? pictureHasher.addTo(captured) : captured
  /** The last storage failure, for the user. Not stored: the disk may be full. */
  let problem = ''
  /** Awaits a storage operation. The popup shows its failure until a later operation succeeds. */
  const trackStorage = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const done = await work
      problem = ''
      return done
    } catch (error) {
      const failure = failureOf(error)
      if (failure instanceof Failure && /^storage/.test(failure.kind)) problem = failure.message
      throw failure
    }
  }

  const collector = createCollector(database, queue, captures, withImageHashes)
  const wakeAt = (time: number) => {
    const wait = time - Date.now()
    if (wait < SHORT_MS) setTimeout(send, Math.max(0, wait))
    chrome.alarms.create(SEND, { when: Math.max(time, Date.now() + SHORT_MS) })
  }
  const sender = createSender({ database, queue, captures, wakeAt })
  const send = async (options?: { force: boolean }): Promise<void> => {
    // The alarm retries if the browser ends this script or the run throws.
    chrome.alarms.create(SEND, { when: Date.now() + SHORT_MS })
    try {
      const { isDone } = await trackStorage(keptAwake(sender.flush(options)))
      if (isDone) await chrome.alarms.clear(SEND)
    } catch {}
  }
  const overlay = createOverlay(database, () => requireAccount(database))

  /** Ends the session after a 401 for its current token. Resolves to whether the error is a 401. */
  const endIfRefused = async (error: unknown): Promise<boolean> => {
    if (!(error instanceof ApiError && error.status === 401)) return false
    const account = await readSetting(database, 'account')
    // The user may have signed in again during the request.
    if (account?.token !== undefined && account.token === tokenOf(error)) {
      const { token: _, ...ended } = account
      await writeSetting(database, 'account', ended)
    }
    return true
  }

  const isReading = async () => (await readSetting(database, 'reading')) ?? true
  const isSealing = async () => (await readSetting(database, 'sealing')) ?? true
  const markedSites = async () => (await readSetting(database, 'markedSites')) ?? []
  const refreshMarking = async () => {
    const sites = (await isReading()) ? await markedSites() : []
    await registerMarking(sites)
    const account = await readSetting(database, 'account')
    if (sites.length > 0 && account?.token)
      await chrome.alarms.create(OVERLAY, { periodInMinutes: OVERLAY_MINUTES })
    else await chrome.alarms.clear(OVERLAY)
  }
  /** Returns the open tabs of sites that the user still permits. */
  const tabsOf = async (sites: readonly string[]): Promise<chrome.tabs.Tab[]> => {
    const url = await permittedOf(sites)
    return url.length > 0 ? chrome.tabs.query({ url }) : []
  }
  /** Sends an order to the open pages of sites that the user still permits. */
  const orderAll = async (sites: readonly string[], message: Order): Promise<void> => {
    await Promise.allSettled((await tabsOf(sites)).map(({ id }) => id !== undefined && order(id, message)))
  }
  const refreshOverlay = async (): Promise<void> => {
    const sites = (await isReading()) ? await markedSites() : []
    if (sites.length === 0 || !(await readSetting(database, 'account'))?.token) return
    if (await overlay.refresh()) await orderAll(sites, { order: 'refresh' })
  }

  /** @param reason why Keep collecting ends without the user's action; shown to the user */
  const stopKeeping = async (tabId: number, reason?: string): Promise<void> => {
    const keeping = await writeKeeping(tabId, undefined)
    await registerLists(hasTiktok(Object.values(keeping)))
    const sentence = reason && sentenceOf('keepEnded', { reason })
    await writeEnded(tabId, sentence)
    await showBadge(tabId, sentence ? '!' : '', sentence)
  }

  const stopKeepingAll = async (): Promise<void> => {
    for (const tabId of Object.keys(await readKeeping()).map(Number)) {
      await order(tabId, { order: 'keep', on: false }).catch(() => {})
      await stopKeeping(tabId)
    }
  }

  /**
   * Resumes Keep collecting in a loaded page, or ends it on another site or without the permission.
   * @param reason why the permission of the same site may be missing
   */
  const resumeKeeping = async (tabId: number, reason?: string): Promise<void> => {
    try {
      await prepareTab(tabId)
    } catch (error) {
      // The error may be transient.
      const isPassing = error instanceof Failure && /^(notLoaded|pageGone|notReady)$/.test(error.kind)
      return isPassing && !reason ? undefined : stopKeeping(tabId, reason)
    }
    // A feed or picture of the same site has no post; the next page may have one.
    const page = await order(tabId, { order: 'keep', on: true }).catch(() => undefined)
    if (!page) return
    if (await isKept({ tabId, url: page.url })) return showKeeping(tabId, page.url)
    await order(tabId, { order: 'keep', on: false }).catch(() => {})
    await stopKeeping(tabId)
  }

  /** Shows on the icon that a tab keeps collecting, and forwards the lists of its page. */
  const showKeeping = async (tabId: number, url: string): Promise<void> => {
    await writeEnded(tabId)
    await showBadge(tabId, 'ON', `Keeps collecting on ${new URL(url).hostname}`)
    if (sourceOf(url) !== 'tiktok') return
    await registerLists(true)
    await watchLists(tabId)
  }
  const hasTiktok = (origins: string[]) => origins.some(origin => sourceOf(origin) === 'tiktok')

  /** Requests of the extension's own pages. */
  const forPages: { [N in keyof PageRequests]: (input: InputOf<N>) => Promise<ResultOf<N>> } = {
    async status() {
      const account = await readSetting(database, 'account')
      const trouble = await readSetting(database, 'trouble')
      const captureTrouble = await readSetting(database, 'captureTrouble')
      // Read before the summary: a capture completed in between counts twice instead of never.
      const making = collector.making()
      const kept = await captures.summary(account ? ownerOf(account) : '')
      return {
        server: account?.server ?? (await readServer(database)),
        account: account ? { name: account.name, ended: !account.token } : null,
        reading: await isReading(),
        ...(await queue.summary(account ? ownerOf(account) : '')),
        trouble: trouble ? { reason: trouble.reason, until: trouble.until } : null,
        sealing: await isSealing(),
        looking: await hashesImages(),
        problem,
        captures: {
          ...kept,
          waiting: kept.waiting + making,
          leftOut: making > 0 ? '' : ((await readSetting(database, 'leftOut')) ?? ''),
          trouble: captureTrouble ? { reason: captureTrouble.reason, until: captureTrouble.until } : null,
        },
        overlay: await overlay.state(),
      }
    },

    async tab({ tabId, url }) {
      const refusal = unsupportedReason(url)
      const pattern = refusal ? '' : (patternOf(url) ?? '')
      const account = await readSetting(database, 'account')
      return {
        refusal: refusal ? sentenceOf(refusal) : '',
        ended: (await readEnded())[tabId] ?? '',
        source: sourceOf(url),
        host: pattern && new URL(url).hostname,
        pattern,
        keeping: pattern !== '' && (await readKeeping())[tabId] === new URL(url).origin,
        marking: (await markedSites()).includes(pattern),
        capture: account && pattern ? await captures.ofPage(ownerOf(account), captureAddress(url)) : null,
      }
    },

    async signIn({ code }) {
      await signIn(database, await readServer(database), code)
      await refreshMarking()
      refreshOverlay().catch(endIfRefused)
      send({ force: true })
    },

    async signOut() {
      await stopKeepingAll()
      await signOut(database)
      await overlay.clear()
      await refreshMarking()
      await orderAll(await markedSites(), { order: 'refresh' })
    },

    async setServer({ server }) {
      const origin = serverOf(server)
      if (origin === (await readServer(database))) return
      await forPages.signOut({})
      await writeSetting(database, 'server', origin)
    },

    async setReading({ on }) {
      await writeSetting(database, 'reading', on)
      await refreshMarking()
      await orderAll(await markedSites(), { order: 'mark', on })
      if (on) refreshOverlay().catch(endIfRefused)
    },

    async setSealing({ on }) {
      await writeSetting(database, 'sealing', on)
    },

    async setLooking({ on }) {
      await writeSetting(database, 'looking', on)
    },

    async markSite({ tabId, pattern, on }) {
      const others = (await markedSites()).filter(site => site !== pattern)
      await writeSetting(database, 'markedSites', on ? [...others, pattern] : others)
      await refreshMarking()
      await prepareTab(tabId)
      const message: Order = { order: 'mark', on: on && (await isReading()) }
      await order(tabId, message)
      await orderAll([pattern], message)
      if (on) refreshOverlay().catch(endIfRefused)
    },

    async found({ tabId }) {
      return (await order(tabId, { order: 'found' }).catch(() => undefined))?.found ?? []
    },

    async collect({ tabId, what }) {
      const owner = ownerOf(await requireAccount(database))
      const sealing = await isSealing()
      const collected = await trackStorage(collector.collect(owner, { tabId, what, sealing }))
      if (!collected) throw noPostFailure((await chrome.tabs.get(tabId)).url)
      send()
      keptAwake(collected.capturing).then(() => send())
      return collected.result
    },

    async keep({ tabId, on }) {
      if (!on) {
        await stopKeeping(tabId)
        await order(tabId, { order: 'keep', on: false }).catch(() => {})
        return
      }
      await requireAccount(database)
      await prepareTab(tabId)
      const page = await order(tabId, { order: 'keep', on: true })
      if (!page) throw new Failure('notReady')
      await writeKeeping(tabId, new URL(page.url).origin)
      await showKeeping(tabId, page.url)
    },

    async sendNow() {
      await send({ force: true })
    },

    async retryRefused() {
      await queue.retryRefused(ownerOf(await requireAccount(database)))
      send({ force: true })
    },

    async discardRefused() {
      await queue.discardRefused(ownerOf(await requireAccount(database)))
    },

    async retryCaptures() {
      await captures.retryFull(ownerOf(await requireAccount(database)))
      send({ force: true })
    },

    async discardCaptures() {
      await captures.discardRefused(ownerOf(await requireAccount(database)))
    },

    async discardOthers() {
      const owner = ownerOf(await requireAccount(database))
      await queue.discardOthers(owner)
      await captures.discardOthers(owner)
    },
  }

  const isMarked = async ({ url }: TabPage): Promise<boolean> =>
    (await isReading()) && (await markedSites()).includes(patternOf(url) ?? '')
  const isKept = async ({ tabId, url }: TabPage): Promise<boolean> =>
    (await readKeeping())[tabId] === new URL(url).origin

  /** Returns the existing IOD with this value and category. */
  const findIod = async (
    account: Account,
    iod: Pick<Iod, 'value' | 'category'>,
  ): Promise<KnownValue | undefined> => {
    const found = await callApi(account, endpoints.lookup, { body: { values: [foldValue(iod.value)] } })
    return found
      .filter(({ category }) => category === iod.category)
      .map(knownValue)
      .find(each => foldIod(each) === foldIod(iod))
  }

  /** Captures the sender's page. The quote becomes evidence of the IOD once the capture is sealed. */
  const quote = async (
    account: Account,
    iod: KnownValue,
    { page, place: { start, end, exact } }: QuotedPage,
    { url }: TabPage,
  ): Promise<Pick<CreatedIod, 'problem'>> => {
    if (!(await isSealing())) return {}
    // The server would reject such a quote and leave its capture without a reference.
    if (page.text.slice(start, end) !== exact || relationOf(exact, iod.value) === null)
      return { problem: sentenceOf('wordsDiffer') }
    const source = sourceOf(url) ?? 'blog'
    const problem = await collector.quote(
      ownerOf(account),
      { url, source, page },
      { iod, place: { start, end, exact } },
    )
    send()
    return problem === undefined ? {} : { problem }
  }

  /** Requests of the content script. Each checks that the user has enabled the feature for that page. */
  const forContent: {
    [N in keyof ContentRequests]: (input: InputOf<N>, place: TabPage) => Promise<ResultOf<N>>
  } = {
    async hello(_, place) {
      return { keeping: await isKept(place), marking: await isMarked(place), sealing: await isSealing() }
    },

    async captured({ captured }, place) {
      const account = await readSetting(database, 'account')
      if (!account || !(await isKept(place))) throw new Failure('notCollecting')
      const source = sourceOf(place.url)
      const looked = await withImageHashes(captured.filter(item => item.source === source))
      const wasWell = problem === ''
      try {
        await trackStorage(queue.add(ownerOf(account), looked, { resend: false }))
        if (!wasWell) await showKeeping(place.tabId, place.url)
      } catch (error) {
        await showBadge(place.tabId, '!', failureOf(error).message)
        throw error
      }
      send()
    },

    async collected({ ticket, collected }, place) {
      collector.answer(place, ticket, collected)
    },

    async scan({ texts }, place) {
      if (!(await isMarked(place))) throw new Failure('notMarking')
      if (texts.reduce((sum, text) => sum + text.length, 0) > SCAN_MAX) throw new Failure('tooMuch')
      return overlay.scan(texts)
    },

    async openApp({ path }, place) {
      if (!(await isMarked(place)) || !APP_PATH.test(path)) throw new Failure('notMarking')
      const { server } = await requireAccount(database)
      await chrome.tabs.create({ url: server + path, openerTabId: place.tabId })
    },

    async createIod({ iod: { value, category, description }, quoted }, place) {
      if (!(await isMarked(place))) throw new Failure('notMarking')
      const account = await requireAccount(database)
      const address = pageAddress(place.url)
      const body = {
        value,
        category,
        description,
        source_type: SOURCE_TYPE_OF[sourceOf(place.url) ?? 'blog'],
        source: isHttpUrl(address) && address.length <= LIMITS.fieldMax ? address : null,
      }
      let created: KnownValue
      try {
        created = knownValue(await callApi(account, endpoints.createIod, { body }))
      } catch (error) {
        const existing =
          error instanceof ApiError && error.status === 409 ? await findIod(account, body) : undefined
        if (!existing) throw error
        return { iod: existing, isNew: false }
      }
      await overlay.add(created)
      return { iod: created, isNew: true, ...(quoted && (await quote(account, created, quoted, place))) }
    },

    async quoteIod({ iod, quoted }, place) {
      if (!(await isMarked(place))) throw new Failure('notMarking')
      const account = await requireAccount(database)
      const existing = await findIod(account, iod)
      if (!existing) throw new Failure('iodGone')
      return { iod: existing, isNew: false, ...(await quote(account, existing, quoted, place)) }
    },
  }

  const handlerFor = (name: unknown, from: chrome.runtime.MessageSender): Handler | undefined => {
    if (from.id !== chrome.runtime.id || typeof name !== 'string') return undefined
    // Extension pages have the extension's origin, content scripts the URL of their page. Only the top frame is
    // accepted.
    if (from.url?.startsWith(chrome.runtime.getURL('')))
      return Object.hasOwn(forPages, name) ? (forPages[name as keyof PageRequests] as Handler) : undefined
    const { tab, frameId, url } = from
    if (tab?.id === undefined || frameId !== 0 || !url || !Object.hasOwn(forContent, name)) return undefined
    const place = { tabId: tab.id, url: currentAddress(url, tab.url) }
    const handler = forContent[name as keyof ContentRequests] as (
      input: unknown,
      place: TabPage,
    ) => Promise<unknown>
    return input => handler(input, place)
  }

  /** Returns an error's message for the user. A 401 ends the session. */
  const messageOf = async (error: unknown): Promise<string> => {
    if (await endIfRefused(error)) return sentenceOf('sessionEnded')
    return failureOf(error).message
  }

  const start = async (): Promise<void> => {
    if (!(await isFirstStart())) return
    // An update removes the registered scripts and disconnects those in open pages.
    await refreshMarking()
    for (const { id } of await tabsOf((await isReading()) ? await markedSites() : []))
      if (id !== undefined) await prepareTab(id).catch(() => {})
    for (const [id, origin] of Object.entries(await readKeeping())) {
      const open = await chrome.tabs.get(Number(id)).catch(() => undefined)
      // Without the permission for its site, a tab has no URL.
      if (open && (!open.url || new URL(open.url).origin === origin)) await resumeKeeping(Number(id), UPDATED)
      else await stopKeeping(Number(id))
    }
  }
  let starting: Promise<void> = Promise.resolve()

  return {
    handle(message, from) {
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
    refreshOverlay: () => refreshOverlay().catch(async error => void (await endIfRefused(error))),
    started() {
      const done = start()
      starting = done.catch(() => {})
      return done
    },
    async browserStarted() {
      await starting
      await stopKeepingAll()
      for (const tabId of Object.keys(await readEnded())) await stopKeeping(Number(tabId))
    },
    async pageLoaded(tabId) {
      if ((await readKeeping())[tabId]) await resumeKeeping(tabId)
      else await writeEnded(tabId)
    },
    tabClosed: tabId => stopKeeping(tabId),
    async permissionsRemoved() {
      await writeSetting(database, 'markedSites', await permittedOf(await markedSites()))
      await refreshMarking()
    },
  }
}
