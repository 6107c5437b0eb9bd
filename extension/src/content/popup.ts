import { isVisible, VISIBILITY } from '../shared/browser'
import css from './popup.css?raw'

const LOOK_MS = 200

/** Resolves to whether an element in the host's shadow root is fully visible; true if that is unknown. */
const isShown = (element: Element, host: HTMLElement): Promise<boolean> =>
  new Promise(resolve => {
    const end = (shown: boolean) => {
      observer.disconnect()
      clearTimeout(timer)
      resolve(shown)
    }
    const observer = new IntersectionObserver(entries => {
      const last = entries.at(-1)
      if (last && isVisible(last, host) !== false) end(true)
    }, VISIBILITY)
    const timer = setTimeout(() => end(false), LOOK_MS)
    observer.observe(element)
  })

/** Creates a popup over the page. Its elements are in a closed shadow root, which the page's scripts can't read. */
export const createPopup = () => {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  // In the top layer, above all elements of the page.
  host.popover = 'manual'

  /** Whether the form is fully visible; undefined if that is unknown. */
  let inView: boolean | undefined
  const watcher = new IntersectionObserver(entries => {
    const last = entries.at(-1)
    inView = last && isVisible(last, host)
  }, VISIBILITY)
  /**
   * Returns whether an event is trusted and its element was and is fully visible. Prevents clickjacking by the page.
   */
  const isDeliberate = async (event: Event): Promise<boolean> => {
    const target = root.firstElementChild
    return event.isTrusted && inView !== false && target !== null && (await isShown(target, host))
  }

  const place = (x: number, y: number) => {
    host.style.cssText = [
      'all: initial',
      'position: fixed',
      'inset: auto',
      `left: ${Math.max(8, Math.min(x, innerWidth - 340))}px`,
      `top: ${Math.max(8, Math.min(y, innerHeight - 330))}px`,
      'display: block',
      'margin: 0',
      'border: 0',
      'padding: 0',
      'overflow: visible',
      'background: none',
    ]
      .map(rule => `${rule} !important`)
      .join('; ')
    if (!host.isConnected) document.documentElement.append(host)
    host.showPopover()
  }

  /** Moves the form up if its end is below the window. */
  const keepInside = () => {
    const { top, bottom } = host.getBoundingClientRect()
    const below = bottom + 8 - innerHeight
    if (below > 0) host.style.setProperty('top', `${Math.max(8, top - below)}px`, 'important')
  }

  const hide = () => {
    watcher.disconnect()
    root.replaceChildren()
    host.remove()
  }

  const show = (...content: [Element, ...Element[]]) => {
    root.replaceChildren(...content)
    inView = undefined
    watcher.disconnect()
    watcher.observe(content[0])
  }

  for (const type of ['keydown', 'keyup', 'keypress', 'input', 'pointerdown', 'click', 'submit'])
    root.addEventListener(type, event => {
      if ((event as KeyboardEvent).key === 'Escape') hide()
      // Typing here must not trigger the page's shortcuts.
      event.stopPropagation()
    })
  return { host, root, isDeliberate, place, keepInside, hide, show }
}
