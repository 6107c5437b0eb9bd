import { Failure, sentenceOf, unsupportedReason } from '../shared/failures'
import type { InputOf, PageRequests } from '../shared/messages'
import { channelPage, sourceOf } from '../sources'
import { readServer, requireAccount, serverOf, signIn, signOut } from './accounts'
import { ownerOf, readSetting, writeSetting } from './database'
import { showKeeping, stopKeeping, stopKeepingAll } from './keep'
import { captureAddress } from './make-capture'
import { keptAwake, type Parts, type ResultOf } from './parts'
import { isPermitted, patternOf } from './sites'
import { order, prepareTab, readEnded, readKeeping, writeKeeping, writePendingSite } from './tabs'

type AllHandlers = { [N in keyof PageRequests]: (input: InputOf<N>) => Promise<ResultOf<N>> }
type Handlers = Partial<AllHandlers>

/** Returns the failure for a page without a post. On Telegram's pages, it names the channel's page. */
const noPostFailure = (address = ''): Failure => {
  const page = channelPage(address)
  return page ? new Failure('nothingInChannel', { page }) : new Failure('nothingHere')
}

/** Requests that read the state that the popup and the options show. */
const stateRequests = ({
  database,
  queue,
  captures,
  collector,
  overlay,
  marking,
  problem,
  isSealing,
  hashesImages,
}: Parts) =>
  ({
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
        reading: await marking.isReading(),
        ...(await queue.summary(account ? ownerOf(account) : '')),
        trouble: trouble ? { reason: trouble.reason, until: trouble.until } : null,
        sealing: await isSealing(),
        looking: await hashesImages(),
        problem: problem(),
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
        marking: (await marking.markedSites()).includes(pattern),
        capture: account && pattern ? await captures.ofPage(ownerOf(account), captureAddress(url)) : null,
      }
    },

    async found({ tabId }) {
      return (await order(tabId, { order: 'found' }).catch(() => undefined))?.found ?? []
    },
  }) satisfies Handlers

/** Requests that change the account, the server or a setting. */
const settingRequests = ({ database, overlay, marking, send, refreshOverlay }: Parts) => {
  const leave = async () => {
    await stopKeepingAll()
    await signOut(database)
    await overlay.clear()
    await marking.refresh()
    await marking.orderAll(await marking.markedSites(), { order: 'refresh' })
  }
  return {
    async signOut() {
      await leave()
    },

    async signIn({ code }) {
      await signIn(database, await readServer(database), code)
      await marking.refresh()
      refreshOverlay()
      send({ force: true })
    },

    async setServer({ server }) {
      const origin = serverOf(server)
      if (origin === (await readServer(database))) return
      await leave()
      await writeSetting(database, 'server', origin)
    },

    async setReading({ on }) {
      await writeSetting(database, 'reading', on)
      await marking.refresh()
      await marking.orderAll(await marking.markedSites(), { order: 'mark', on })
      if (on) refreshOverlay()
    },

    async setSealing({ on }) {
      await writeSetting(database, 'sealing', on)
    },

    async setLooking({ on }) {
      await writeSetting(database, 'looking', on)
    },

    async markSite({ tabId, pattern, on }) {
      // The popup may be closed before the user answers the request for the permission.
      const waits = on && !(await isPermitted(pattern))
      await writePendingSite(waits ? { tabId, pattern, at: Date.now() } : undefined)
      if (waits) return false
      await marking.setSite(tabId, pattern, on)
      if (on) refreshOverlay()
      return true
    },
  } satisfies Handlers
}

/** Requests that collect pages, and retry or discard what is queued. */
const queueRequests = ({ database, queue, captures, collector, isSealing, send, trackStorage }: Parts) =>
  ({
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
  }) satisfies Handlers

/** Creates the handlers of requests of the extension's own pages. */
export const createPageRequests = (parts: Parts): AllHandlers => ({
  ...stateRequests(parts),
  ...settingRequests(parts),
  ...queueRequests(parts),
})
