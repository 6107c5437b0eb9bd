import type { FoundOnPage, Order } from '../shared/messages'
import type { Absence } from '../sources'

const KEEPING = 'keeping'

/** The tabs that keep collecting, with the origin of the start. Lost when the browser ends. */
export type Keeping = Record<string, string>

export const readKeeping = async (): Promise<Keeping> => {
  const { [KEEPING]: keeping } = await chrome.storage.session.get(KEEPING)
  return (keeping as Keeping | undefined) ?? {}
}

/**
 * Stores the origin on which a tab keeps collecting; undefined removes the tab. Returns all collecting tabs.
 */
export const writeKeeping = async (tabId: number, origin: string | undefined): Promise<Keeping> => {
  const { [tabId]: _, ...others } = await readKeeping()
  const keeping = origin === undefined ? others : { ...others, [tabId]: origin }
  await chrome.storage.session.set({ [KEEPING]: keeping })
  return keeping
}

/** Runs the content script in a tab's page, at most once; rejects without the permission. */
export const prepareTab = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['content.js'] })
}

/** Runs the script that forwards the page's lists of posts to the content script. */
export const watchLists = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['page-lists.js'], world: 'MAIN' })
}

/** A page's answer to an order: its address. */
export interface PageReport {
  url: string
  /** The known IODs that are on it, if they were asked for. */
  found?: FoundOnPage[]
  /** Why the page has no post, if it was to be collected. */
  absence?: Absence
}

export const order = (tabId: number, message: Order): Promise<PageReport | undefined> =>
  chrome.tabs.sendMessage(tabId, message, { frameId: 0 })
