import { independentOf, paths, showsIndependence } from '@iodine/contracts'
import { type KnownIod, sendRequest } from '../../shared/messages'
import { votesOf } from '../../shared/votes'
import { element } from '../element'
import css from './card.css?raw'
import type { Drawn } from './painter'

/** Hover time before the card opens. */
const DWELL_MS = 200
const MARGIN = 8
const IODS_MAX = 3

/** At which the numbers in the download saturate. */
const INDEPENDENT_SATURATED = 25.4

/** Returns the number of independent votes of an IOD in words; undefined if unknown, saturated or close to the votes. */
const worthOf = ({ votes_for, votes_against, independent }: KnownIod): string | undefined => {
  const votes = votes_for + votes_against
  if (!independent || Math.max(independent.for, independent.against) >= INDEPENDENT_SATURATED)
    return undefined
  if (!showsIndependence(votes, independent)) return undefined
  const n = independentOf(independent)
  const about = n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 1 : 0 })
  return `Only about ${about} of ${votes} votes are independent`
}

/** Creates a line that opens a page of the app. */
type Link = (text: string, path: string) => HTMLElement

const note = (className: string, textContent: string) => element('p', { className, textContent })

const describe = (text: string, iod: KnownIod, link: Link): HTMLElement => {
  const page = paths.iod(iod.id)
  const worth = worthOf(iod)
  return element(
    'div',
    { className: 'iod' },
    note('words', text),
    note('category', iod.category),
    link(`Votes: ${votesOf(iod)}`, page),
    ...(worth ? [link(worth, page)] : []),
    ...iod.campaigns.map(({ id, name }) => link(`Campaign: ${name}`, paths.campaign(id))),
    ...(iod.more > 0
      ? [note('category', `and ${iod.more} more ${iod.more === 1 ? 'campaign' : 'campaigns'}`)]
      : []),
    link('Where seen', page),
  )
}

/** Moves the card below the words, or above them if it does not fit. */
const place = (card: HTMLElement, words: readonly Drawn[]): void => {
  const { width, height } = card.getBoundingClientRect()
  const left = Math.min(...words.map(({ rect }) => rect.left))
  const x = Math.max(MARGIN, Math.min(left, innerWidth - width - MARGIN))
  const below = Math.max(...words.map(({ bottom }) => bottom)) + MARGIN
  const above = Math.min(...words.map(({ top }) => top)) - height - MARGIN
  const y = below + height <= innerHeight ? below : Math.max(MARGIN, above)
  card.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`
}

/**
 * Creates the card with the known IODs of words. It opens beside hovered words, which the page can't detect. A click
 * pins it, with links into the app. Its texts are untrusted.
 */
export const createCard = (root: ShadowRoot) => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  const card = element('div', { className: 'card', hidden: true })
  card.setAttribute('role', 'dialog')
  card.setAttribute('aria-label', 'Known IOD')
  root.append(card)
  let waiting: ReturnType<typeof setTimeout> | undefined
  let shown: readonly Drawn[] = []
  let isPinned = false

  const link: Link = (text, path) => {
    const row = element('button', { type: 'button', className: 'row', textContent: text })
    row.addEventListener('click', event => {
      if (!event.isTrusted || !isPinned) return
      sendRequest('openApp', { path }).catch(() => {})
      close()
    })
    return row
  }

  const show = (words: readonly Drawn[]) => {
    shown = words
    const all = words.flatMap(({ text, iods }) => iods.map(iod => ({ text, iod })))
    const more = all.length - IODS_MAX
    card.replaceChildren(
      ...all.slice(0, IODS_MAX).map(({ text, iod }) => describe(text, iod, link)),
      ...(more > 0 ? [note('category', `and ${more} more: press the collector’s icon to list them`)] : []),
      note(
        'hint',
        isPinned ? 'Each line opens the app. Press Escape to close.' : 'Click the words to keep this open.',
      ),
    )
    card.classList.toggle('pinned', isPinned)
    card.hidden = false
    place(card, words)
  }

  const close = () => {
    clearTimeout(waiting)
    shown = []
    isPinned = false
    card.hidden = true
    card.replaceChildren()
  }
  const isShown = (words: readonly Drawn[]) =>
    words.length === shown.length && words.every(({ iods }, n) => iods === shown[n]?.iods)

  return {
    close,
    /** Opens the card for hovered words after the hover time; an empty list closes it. */
    point(words: readonly Drawn[]) {
      if (isPinned || isShown(words)) return
      close()
      if (words.length > 0) waiting = setTimeout(show, DWELL_MS, words)
    },
    /** Closes the card unless it is pinned. */
    release() {
      if (!isPinned) close()
    },
    pin(words: readonly Drawn[]) {
      close()
      isPinned = true
      show(words)
      card.querySelector('button')?.focus({ preventScroll: true })
    },
  }
}
