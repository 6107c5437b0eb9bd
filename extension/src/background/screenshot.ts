import { fromBase64 } from './make-capture'
import { order } from './tabs'

const JPEG = 'data:image/jpeg;base64,'
const QUALITY = 85

/** What is drawn of a page, and its address. */
export interface Screenshot {
  url: string
  type: 'image/jpeg'
  bytes: Uint8Array<ArrayBuffer>
}

/**
 * The picture of a tab, which activeTab allows while the popup is open over it. Undefined where the tab is not in
 * front with the same address before and after, or the browser refuses: nothing else may be taken for the page. What
 * is drawn over the page for its reader is hidden meanwhile.
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
