import { ask, type KnownIod } from '../../shared/messages'
import { votesOf } from '../../shared/votes'
import css from './card.css?raw'

/** Pointing at words for so long shows what is known of them. */
const DWELL_MS = 200
const MARGIN = 8
const IODS_MAX = 3

interface Pointed {
  rect: DOMRect
  text: string
  iods: readonly KnownIod[]
}

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: Element[]
): HTMLElementTagNameMap[K] => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** What the votes of an IOD are worth; undefined if that is not known. */
const worthOf = ({ independent }: KnownIod): string | undefined =>
  independent && `≈ ${independent.for.toFixed(1)} independent for, ${independent.against.toFixed(1)} against`

/**
 * What is known of words: shown beside them while they are pointed at, when the page can't notice it, and for good once
 * they are clicked, with links into the app. Its texts are those of others.
 */
export const createCard = (root: ShadowRoot) => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  const card = element('div', { className: 'card', hidden: true })
  card.setAttribute('role', 'dialog')
  card.setAttribute('aria-label', 'Known IOD')
  root.append(card)
  let waiting: number | undefined
  let shown: Pointed | undefined
  let isPinned = false

  const link = (text: string, path: string) => {
    const row = element('button', { type: 'button', className: 'row', textContent: text })
    row.addEventListener('click', event => {
      if (!event.isTrusted || !isPinned) return
      ask('openApp', { path }).catch(() => {})
      close()
    })
    return row
  }

  const describe = (text: string, iod: KnownIod): HTMLElement => {
    const page = `iods/${iod.id}`
    const worth = worthOf(iod)
    return element(
      'div',
      { className: 'iod' },
      element('p', { className: 'words', textContent: text }),
      element('p', { className: 'category', textContent: iod.category }),
      link(`Votes: ${votesOf(iod)}`, page),
      ...(worth ? [link(worth, page)] : []),
      ...iod.campaigns.map(({ id, name }) => link(`Campaign: ${name}`, `campaigns/${id}`)),
      ...(iod.more > 0
        ? [element('p', { className: 'category', textContent: `and ${iod.more} more campaigns` })]
        : []),
      link('Where seen', page),
    )
  }

  const place = ({ left, top, bottom }: DOMRect) => {
    const { width, height } = card.getBoundingClientRect()
    const x = Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))
    const below = bottom + MARGIN
    const y = below + height <= innerHeight ? below : Math.max(MARGIN, top - height - MARGIN)
    card.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`
  }

  const show = (at: Pointed) => {
    shown = at
    const { text, iods } = at
    card.replaceChildren(
      ...iods.slice(0, IODS_MAX).map(iod => describe(text, iod)),
      element('p', {
        className: 'hint',
        textContent: isPinned
          ? 'Opens in the app. Escape closes this.'
          : 'Click the words to keep this open.',
      }),
    )
    card.classList.toggle('pinned', isPinned)
    card.hidden = false
    place(at.rect)
  }

  const close = () => {
    clearTimeout(waiting)
    shown = undefined
    isPinned = false
    card.hidden = true
    card.replaceChildren()
  }
  const isSame = (at: Pointed | undefined) =>
    at !== undefined && shown?.iods === at.iods && shown.text === at.text

  return {
    close,
    /** The pointer is over these words, or over none. */
    point(at: Pointed | undefined) {
      if (isPinned || isSame(at)) return
      close()
      if (at) waiting = setTimeout(show, DWELL_MS, at)
    },
    /** Closes what is shown for pointing alone. */
    release() {
      if (!isPinned) close()
    },
    pin(at: Pointed) {
      close()
      isPinned = true
      show(at)
      card.querySelector('button')?.focus({ preventScroll: true })
    },
  }
}
