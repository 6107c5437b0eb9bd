import type { FoundOnPage } from '../../shared/messages'
import { createCard } from './card'
import { closest } from './dom'
import { wordsOf } from './known-texts'
import { createPainter } from './painter'
import { createReader } from './reader'
import { createSurface } from './surface'

const LISTED_MAX = 200
/** Elements whose clicks belong to the page: a click on their words does not pin the card. */
const CONTROLS =
  'a, button, input, select, textarea, label, summary, [role="button"], [role="link"], [role="menuitem"], [role="tab"]'

/**
 * Creates the overlay, which underlines the known IODs of a page. The background compares texts with its download; no
 * text leaves the browser.
 */
export const createOverlay = () => {
  const surface = createSurface()
  const card = createCard(surface.root)
  const painter = createPainter(surface)
  const reader = createReader(painter.put, painter.changed)
  let isOn = false

  const pointed = (event: PointerEvent) => {
    if (event.isTrusted && event.pointerType === 'mouse')
      card.point(painter.wordsAt(event.clientX, event.clientY))
  }
  const clicked = (event: MouseEvent) => {
    const [target] = event.composedPath()
    // The card handles its own clicks.
    if (!event.isTrusted || target === surface.root.host) return
    const words = painter.wordsAt(event.clientX, event.clientY)
    const isControl = target instanceof Element && closest(target, CONTROLS)
    if (words.length > 0 && !isControl && getSelection()?.isCollapsed !== false) card.pin(words)
    else card.close()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.isTrusted && event.key === 'Escape') card.close()
  }
  const listen = (on: boolean) => {
    const change = on ? addEventListener : removeEventListener
    const options = { capture: true, passive: true }
    change('pointermove', pointed as EventListener, options)
    change('click', clicked as EventListener, options)
    change('keydown', pressed as EventListener, options)
    change('scroll', card.release, options)
  }

  return {
    start() {
      if (isOn || !document.body) return
      isOn = true
      surface.show()
      listen(true)
      painter.start()
      reader.start()
    },
    stop() {
      if (!isOn) return
      isOn = false
      listen(false)
      reader.stop()
      painter.stop()
      card.close()
      surface.hide()
    },
    /** Compares the page again, after new IODs are known. */
    refresh: reader.refresh,
    /** Hides or shows the underlines. Resolves once the browser has drawn the page without them. */
    async conceal(on: boolean) {
      surface.conceal(on)
      if (!isOn || !on) return
      card.close()
      await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    },
    /** Returns the known IODs of the page, each once, in the order of first occurrence. */
    found(): FoundOnPage[] {
      const texts = [...reader.known].sort(([a], [b]) =>
        Node.prototype.compareDocumentPosition.call(a, b) & Node.DOCUMENT_POSITION_PRECEDING ? 1 : -1,
      )
      const listed = new Map<string, FoundOnPage>()
      for (const text of texts.flatMap(([, own]) => own))
        for (const found of text.found)
          for (const iod of found.iods) {
            const { text: words = wordsOf(text, found), places = 0 } = listed.get(iod.id) ?? {}
            listed.set(iod.id, { ...iod, text: words, places: places + 1 })
          }
      return [...listed.values()].slice(0, LISTED_MAX)
    },
  }
}
