import { Failure, sentenceOf } from '../shared/failures'
import { sourceOf } from '../sources'
import type { TabPage } from './collect'
import { registerLists } from './sites'
import { order, prepareTab, readKeeping, showBadge, watchLists, writeEnded, writeKeeping } from './tabs'

/** Returns whether the user keeps collecting on the page's site in its tab. */
export const isKept = async ({ tabId, url }: TabPage): Promise<boolean> =>
  (await readKeeping())[tabId] === new URL(url).origin

const hasTiktok = (origins: string[]) => origins.some(origin => sourceOf(origin) === 'tiktok')

/** Registers the script that reads lists, if a tab keeps collecting on short-video pages and the user permits it. */
export const refreshLists = async (): Promise<void> =>
  registerLists(hasTiktok(Object.values(await readKeeping())))

/** @param reason why Keep collecting ends without the user's action; shown to the user */
export const stopKeeping = async (tabId: number, reason?: string): Promise<void> => {
  const keeping = await writeKeeping(tabId, undefined)
  await registerLists(hasTiktok(Object.values(keeping)))
  const sentence = reason && sentenceOf('keepEnded', { reason })
  await writeEnded(tabId, sentence)
  await showBadge(tabId, sentence ? '!' : '', sentence)
}

export const stopKeepingAll = async (): Promise<void> => {
  for (const tabId of Object.keys(await readKeeping()).map(Number)) {
    await order(tabId, { order: 'keep', on: false }).catch(() => {})
    await stopKeeping(tabId)
  }
}

/**
 * Resumes Keep collecting in a loaded page, or ends it on another site or without the permission.
 * @param reason why the permission of the same site may be missing
 */
export const resumeKeeping = async (tabId: number, reason?: string): Promise<void> => {
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
export const showKeeping = async (tabId: number, url: string): Promise<void> => {
  await writeEnded(tabId)
  await showBadge(tabId, 'ON', `Keeps collecting on ${new URL(url).hostname}`)
  if (sourceOf(url) !== 'tiktok') return
  await registerLists(true)
  await watchLists(tabId)
}
