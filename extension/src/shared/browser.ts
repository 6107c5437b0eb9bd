// What differs between the browsers at run time. The build defines BROWSER for each package.

declare const BROWSER: 'chromium' | 'firefox' | undefined

const isFirefox = typeof BROWSER !== 'undefined' && BROWSER === 'firefox'

/** Firefox's elements for content scripts. */
type FirefoxElement = HTMLElement & { openOrClosedShadowRoot?: ShadowRoot | null }

/**
 * Returns whether an update or removal of the extension has disconnected this content script. Chromium leaves such a
 * script running; Firefox ends it.
 */
export const isDisconnected = (): boolean => !isFirefox && !chrome.runtime?.id

/**
 * Removes the elements of a content script that an update has ended. Firefox keeps them in the page; in Chromium the
 * script removes them itself.
 */
export const removeLeftovers = (): void => {
  if (!isFirefox) return
  for (const element of [...document.documentElement.children] as FirefoxElement[]) {
    const isOurs =
      element.localName === 'div' &&
      element.style?.getPropertyPriority('position') === 'important' &&
      element.style.position === 'fixed' &&
      element.shadowRoot === null &&
      element.openOrClosedShadowRoot
    if (isOurs) element.remove()
  }
}

/**
 * Options of an observer that tracks visibility: covered, transparent or transformed elements are not visible. Firefox
 * ignores them.
 */
export const VISIBILITY = { trackVisibility: true, delay: 100, threshold: [0, 1] } as IntersectionObserverInit

/**
 * Returns whether an observed element is visible; undefined if unknown. Firefox does not report covers: there, the
 * element must be opaque, in the window, and the topmost one that receives clicks at its middle.
 */
export const isVisible = (entry: IntersectionObserverEntry, host: HTMLElement): boolean | undefined => {
  if (!isFirefox) return (entry as IntersectionObserverEntry & { isVisible?: boolean }).isVisible
  const { left, top, width, height } = entry.boundingClientRect
  const isOpaque = host.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  return isOpaque && document.elementFromPoint(left + width / 2, top + height / 2) === host
}
