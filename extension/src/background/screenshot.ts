import { fromBase64 } from './make-capture'
import { order } from './tabs'

const JPEG = 'data:image/jpeg;base64,'
const QUALITY = 85

/** A screenshot of a page, with the page's URL. */
export interface Screenshot {
  url: string
  type: 'image/jpeg'
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * Takes a screenshot of a tab, which activeTab permits while the popup is open. Hides the overlay in the meantime.
 * Resolves to undefined if the browser refuses, or unless the tab is active with the same URL before and after.
 */
export const takeScreenshot = async (tabId: number): Promise<Screenshot | undefined> => {
  try {
    const before = await chrome.tabs.get(tabId)
    if (!before.active || !before.url) return undefined
    await order(tabId, { order: 'conceal', on: true })
    const picture = await chrome.tabs.captureVisibleTab(before.windowId, { format: 'jpeg', quality: QUALITY })
    const after = await chrome.tabs.get(tabId)
    const isSame = after.active && after.url === before.url && after.windowId === before.windowId
    if (!isSame || !picture.startsWith(JPEG)) return undefined
    return { url: before.url, type: 'image/jpeg', bytes: fromBase64(picture.slice(JPEG.length)) }
  } catch {
    return undefined
  } finally {
    order(tabId, { order: 'conceal', on: false }).catch(() => {})
  }
}
