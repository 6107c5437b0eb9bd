import { failureOf, failureSaying } from '../shared/failures'
import type { Order, PageReport } from '../shared/messages'

const KEEPING = 'keeping'
const ENDED = 'ended'
const STARTED = 'started'
const COLORS = { ON: '#1c6e42', '!': '#ac2f33', '': '#1c6e42' }

let lastUpdate: Promise<unknown> = Promise.resolve()
/** Runs updates of the stored tabs one after the other: each reads, changes and writes all of them. */
const serialized = <T>(update: () => Promise<T>): Promise<T> => {
  const done = lastUpdate.then(update)
  lastUpdate = done.catch(() => {})
  return done
}

/** The tabs that keep collecting, with the origin of the start. It outlasts an update of the extension. */
export type Keeping = Record<string, string>

export const readKeeping = async (): Promise<Keeping> => {
  const { [KEEPING]: keeping } = await chrome.storage.local.get(KEEPING)
  return (keeping as Keeping | undefined) ?? {}
}

/** The tabs that have ended to keep collecting without their user, with a sentence that says why. */
export const readEnded = async (): Promise<Record<string, string>> => {
  const { [ENDED]: ended } = await chrome.storage.session.get(ENDED)
  return (ended as Record<string, string> | undefined) ?? {}
}

/** Stores why a tab does not keep collecting any more; undefined: that is told no longer. */
export const writeEnded = (tabId: number, sentence?: string): Promise<void> =>
  serialized(async () => {
    const { [tabId]: before, ...others } = await readEnded()
    if (before !== sentence)
      await chrome.storage.session.set({ [ENDED]: sentence ? { ...others, [tabId]: sentence } : others })
  })

/** Whether this is the first call since the browser started or the extension was updated or switched on. */
export const isFirstStart = async (): Promise<boolean> => {
  const { [STARTED]: started } = await chrome.storage.session.get(STARTED)
  await chrome.storage.session.set({ [STARTED]: true })
  return !started
}

/** Shows on the icon over a tab that it keeps collecting, or that something is wrong, with a sentence. */
export const showBadge = async (tabId: number, text: keyof typeof COLORS, title = ''): Promise<void> => {
  // The tab may be gone.
  await Promise.allSettled([
    chrome.action.setBadgeText({ tabId, text }),
    chrome.action.setBadgeBackgroundColor({ tabId, color: COLORS[text] }),
    chrome.action.setTitle({ tabId, title }),
  ])
}

/**
 * Stores the origin on which a tab keeps collecting; undefined removes the tab. Returns all collecting tabs.
 */
export const writeKeeping = (tabId: number, origin: string | undefined): Promise<Keeping> =>
  serialized(async () => {
    const { [tabId]: _, ...others } = await readKeeping()
    const keeping = origin === undefined ? others : { ...others, [tabId]: origin }
    await chrome.storage.local.set({ [KEEPING]: keeping })
    return keeping
  })

/** The browser refuses to let a page be read, or the page is not there. */
const unread = (error: unknown): never => {
  throw failureOf(error, 'notReady')
}

/** Runs the content script in a tab's page, at most once; rejects without the permission. */
export const prepareTab = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['content.js'] }).catch(unread)
}

/** Runs the script that forwards the page's lists of posts to the content script. */
export const watchLists = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['page-lists.js'], world: 'MAIN' })
}

/** Gives an order to the script in a tab's page; rejects with the page's failure, or if no page answers. */
export const order = async (tabId: number, message: Order): Promise<PageReport | undefined> => {
  const report: PageReport | undefined = await chrome.tabs
    .sendMessage(tabId, message, { frameId: 0 })
    .catch(unread)
  if (report?.failure) throw failureSaying(report.failure)
  return report
}
