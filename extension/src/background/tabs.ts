import { failureOf, failureWithMessage } from '../shared/failures'
import type { Order, PageReport } from '../shared/messages'

const KEEPING = 'keeping'
const ENDED = 'ended'
const STARTED = 'started'
const PENDING_SITE = 'pendingSite'
const COLORS = { ON: '#1c6e42', '!': '#ac2f33', '': '#1c6e42' }

let lastUpdate: Promise<unknown> = Promise.resolve()
/** Runs updates of the stored tabs one at a time: each is a read-modify-write of all tabs. */
const serialized = <T>(update: () => Promise<T>): Promise<T> => {
  const done = lastUpdate.then(update)
  lastUpdate = done.catch(() => {})
  return done
}

/** The origin at the start of Keep collecting, by tab id. It survives an update of the extension. */
export type Keeping = Record<string, string>

export const readKeeping = async (): Promise<Keeping> => {
  const { [KEEPING]: keeping } = await chrome.storage.local.get(KEEPING)
  return (keeping as Keeping | undefined) ?? {}
}

/** Returns, by tab id, why Keep collecting ended without the user's action. */
export const readEnded = async (): Promise<Record<string, string>> => {
  const { [ENDED]: ended } = await chrome.storage.session.get(ENDED)
  return (ended as Record<string, string> | undefined) ?? {}
}

/** Stores why Keep collecting ended in a tab; undefined deletes the reason. */
export const writeEnded = (tabId: number, sentence?: string): Promise<void> =>
  serialized(async () => {
    const { [tabId]: before, ...others } = await readEnded()
    if (before !== sentence)
      await chrome.storage.session.set({ [ENDED]: sentence ? { ...others, [tabId]: sentence } : others })
  })

/** A site whose marking waits for the user's permission. */
export interface PendingSite {
  tabId: number
  pattern: string
  /** Time of the request in milliseconds, as `Date.now()`. */
  at: number
}

export const readPendingSite = async (): Promise<PendingSite | undefined> => {
  const { [PENDING_SITE]: site } = await chrome.storage.session.get(PENDING_SITE)
  return (site as PendingSite | null | undefined) ?? undefined
}

/** Stores the pending site; undefined deletes it. */
export const writePendingSite = (site: PendingSite | undefined): Promise<void> =>
  chrome.storage.session.set({ [PENDING_SITE]: site ?? null })

/**
 * Returns whether this is the first call since the start of the browser or an update or activation of the extension.
 */
export const isFirstStart = async (): Promise<boolean> => {
  const { [STARTED]: started } = await chrome.storage.session.get(STARTED)
  await chrome.storage.session.set({ [STARTED]: true })
  return !started
}

/** Shows on a tab's icon that Keep collecting is on, or a failure. `title` is the tooltip. */
export const showBadge = async (tabId: number, text: keyof typeof COLORS, title = ''): Promise<void> => {
  // The tab may be gone.
  await Promise.allSettled([
    chrome.action.setBadgeText({ tabId, text }),
    chrome.action.setBadgeBackgroundColor({ tabId, color: COLORS[text] }),
    chrome.action.setTitle({ tabId, title }),
  ])
}

/** Stores the origin on which a tab keeps collecting; undefined removes the tab. Returns all collecting tabs. */
export const writeKeeping = (tabId: number, origin: string | undefined): Promise<Keeping> =>
  serialized(async () => {
    const { [tabId]: _, ...others } = await readKeeping()
    const keeping = origin === undefined ? others : { ...others, [tabId]: origin }
    await chrome.storage.local.set({ [KEEPING]: keeping })
    return keeping
  })

/** Rejects with the failure of a page that the extension can't access. */
const rejectUnreadable = (error: unknown): never => {
  throw failureOf(error, 'notReady')
}

/** Runs the content script in a tab's page, where it starts once. Rejects without the permission. */
export const prepareTab = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['content.js'] }).catch(rejectUnreadable)
}

/** Runs the script that forwards the page's lists of posts to the content script. */
export const watchLists = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['page-lists.js'], world: 'MAIN' })
}

/** Sends an order to the content script of a tab. Rejects with the page's failure, or if no page answers. */
export const order = async (tabId: number, message: Order): Promise<PageReport | undefined> => {
  const report: PageReport | undefined = await chrome.tabs
    .sendMessage(tabId, message, { frameId: 0 })
    .catch(rejectUnreadable)
  if (report?.failure) throw failureWithMessage(report.failure)
  return report
}
