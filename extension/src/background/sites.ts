import { isTiktokHost } from '../sources'

/** Scripts that run in pages without being asked each time, on sites that the user has named and permitted. */
const MARKING = 'marking'
const LISTS = 'lists'
export const TIKTOK_PATTERN = 'https://*.tiktok.com/*'

/** The match pattern of a page's site, as permissions are asked for; undefined for what is no web page. */
export const patternOf = (address: string): string | undefined => {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  // One permission for www., m. and whatever else the platform answers under.
  return isTiktokHost(url.hostname) ? TIKTOK_PATTERN : `${url.protocol}//${url.hostname}/*`
}

const isPermitted = (pattern: string): Promise<boolean> => chrome.permissions.contains({ origins: [pattern] })

const replaceScript = async (id: string, script?: chrome.scripting.RegisteredContentScript) => {
  const [registered] = await chrome.scripting.getRegisteredContentScripts({ ids: [id] })
  if (registered) await chrome.scripting.unregisterContentScripts({ ids: [id] })
  if (script) await chrome.scripting.registerContentScripts([script])
}

/** The match patterns among these that the user still permits. */
export const permittedOf = async (patterns: readonly string[]): Promise<string[]> => {
  const answers = await Promise.all(patterns.map(isPermitted))
  return patterns.filter((_, position) => answers[position])
}

/** Has known IODs marked on these sites from now on, as far as they are permitted. */
export const registerMarking = async (patterns: readonly string[]): Promise<void> => {
  const permitted = await permittedOf(patterns)
  await replaceScript(
    MARKING,
    permitted.length > 0
      ? { id: MARKING, matches: permitted, js: ['content.js'], runAt: 'document_idle' }
      : undefined,
  )
}

/** Has the lists that short-video pages fetch passed on from now on, or no longer; without the permission only in pages that are open. */
export const registerLists = async (on: boolean): Promise<void> =>
  replaceScript(
    LISTS,
    on && (await isPermitted(TIKTOK_PATTERN))
      ? {
          id: LISTS,
          matches: [TIKTOK_PATTERN],
          js: ['page-lists.js'],
          runAt: 'document_start',
          world: 'MAIN',
          // A restart of the browser ends all collecting.
          persistAcrossSessions: false,
        }
      : undefined,
  )
