import type { Order } from '../shared/messages'
import type { TabPage } from './collect'
import { type Database, readSetting, writeSetting } from './database'
import type { Overlay } from './overlay'
import { patternOf, permittedOf, registerMarking } from './sites'
import { order, prepareTab } from './tabs'

/** Name of the alarm that downloads the known IODs. Its times do not depend on visited pages (privacy). */
export const OVERLAY = 'overlay'
const OVERLAY_MINUTES = 5

/** Creates the functions that mark known IODs in the pages of sites that the user chose. */
export const createMarking = (database: Database, overlay: Overlay) => {
  const isReading = async () => (await readSetting(database, 'reading')) ?? true
  /** Returns the patterns of the chosen sites that the user still permits. */
  const markedSites = async () => permittedOf((await readSetting(database, 'markedSites')) ?? [])
  const refresh = async () => {
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
  const isMarked = async ({ url }: TabPage): Promise<boolean> =>
    (await isReading()) && (await markedSites()).includes(patternOf(url) ?? '')

  /** Marks a site, or ends that, in the tab and all other open pages of the site. */
  const setSite = async (tabId: number, pattern: string, on: boolean): Promise<void> => {
    const others = (await markedSites()).filter(site => site !== pattern)
    await writeSetting(database, 'markedSites', on ? [...others, pattern] : others)
    await refresh()
    await prepareTab(tabId)
    const message: Order = { order: 'mark', on: on && (await isReading()) }
    await order(tabId, message)
    await orderAll([pattern], message)
  }

  return { isReading, markedSites, isMarked, refresh, tabsOf, orderAll, refreshOverlay, setSite }
}
