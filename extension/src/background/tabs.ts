import type { Order } from '../shared/messages'
import type { Captured } from '../sources'

const KEEPING = 'keeping'

/** Tabs that keep collecting, with the origin that the user started it on. Ends with the browser. */
export type Keeping = Record<string, string>

export const readKeeping = async (): Promise<Keeping> => {
  const { [KEEPING]: keeping } = await chrome.storage.session.get(KEEPING)
  return (keeping as Keeping | undefined) ?? {}
}

/** Notes that a tab keeps collecting on an origin, or no longer (undefined); returns what keeps collecting now. */
export const writeKeeping = async (tabId: number, origin: string | undefined): Promise<Keeping> => {
  const { [tabId]: _, ...others } = await readKeeping()
  const keeping = origin === undefined ? others : { ...others, [tabId]: origin }
  await chrome.storage.session.set({ [KEEPING]: keeping })
  return keeping
}

/** Puts our script into a tab's page (once, however often it is asked); rejects where we may not. */
export const prepareTab = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['content.js'] })
}

/** Has a page's own requests for lists of posts passed on to our script in it. */
export const watchLists = async (tabId: number): Promise<void> => {
  await chrome.scripting.executeScript({ target: { tabId }, files: ['page-lists.js'], world: 'MAIN' })
}

/** The look of marked values, in a style sheet that the page's scripts don't see. Chromium paints no background of the origin USER here. */
const HIGHLIGHT_CSS =
  '::highlight(iodine-known) { background-color: #fff0b3; color: #1c2127; text-decoration: underline 2px #15803d }'

export const styleHighlights = async (tabId: number): Promise<void> => {
  await chrome.scripting.insertCSS({ target: { tabId }, css: HIGHLIGHT_CSS })
}

export interface PageReport {
  url: string
  captured: Captured[]
}

export const order = (tabId: number, message: Order): Promise<PageReport | undefined> =>
  chrome.tabs.sendMessage(tabId, message, { frameId: 0 })
