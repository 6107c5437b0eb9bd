import { parseUrl } from '@iodine/contracts'
import { isTiktokHost } from '../sources'

/** Ids of the scripts registered for sites that the user has chosen and permitted. */
const MARKING = 'marking'
const LISTS = 'lists'
export const TIKTOK_PATTERN = 'https://*.tiktok.com/*'

/** Returns the match pattern of a page's site for permissions; undefined if the URL is not a web page's. */
export const patternOf = (address: string): string | undefined => {
  const url = parseUrl(address)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  // One permission covers all hosts of the platform.
  return isTiktokHost(url.hostname) ? TIKTOK_PATTERN : `${url.protocol}//${url.hostname}/*`
}

/** Returns whether the user permits the sites of a pattern now. */
export const isPermitted = (pattern: string): Promise<boolean> =>
  chrome.permissions.contains({ origins: [pattern] })

const replaceScript = async (id: string, script?: chrome.scripting.RegisteredContentScript) => {
  const [registered] = await chrome.scripting.getRegisteredContentScripts({ ids: [id] })
  if (registered) await chrome.scripting.unregisterContentScripts({ ids: [id] })
  if (script) await chrome.scripting.registerContentScripts([script])
}

/** Returns the patterns that the user still permits. */
export const permittedOf = async (patterns: readonly string[]): Promise<string[]> => {
  const answers = await Promise.all(patterns.map(isPermitted))
  return patterns.filter((_, position) => answers[position])
}

/** Registers the script that marks known IODs, for the permitted sites among these. */
export const registerMarking = async (patterns: readonly string[]): Promise<void> => {
  const permitted = await permittedOf(patterns)
  await replaceScript(
    MARKING,
    permitted.length > 0
      ? { id: MARKING, matches: permitted, js: ['content.js'], runAt: 'document_idle' }
      : undefined,
  )
}

/**
 * Registers or removes the script that reads the lists fetched by short-video pages. Without the permission, the
 * script runs only in open pages.
 */
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
          // Collecting ends when the browser restarts.
          persistAcrossSessions: false,
        }
      : undefined,
  )
