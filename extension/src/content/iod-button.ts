import { LIMITS } from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import { Failure, sentenceOf } from '../shared/failures'
import { element } from './element'
import { showForm } from './iod-form'
import { createPopup } from './popup'
import { findSelected, type Selected } from './quote'

/** Offers '+ IOD' beside a selected text. */
export const createIodButton = (onCreated: () => void) => {
  const popup = createPopup()
  const { host, root, isDeliberate, place, hide, show } = popup

  /** Whether new IODs get the selected words as evidence. */
  let isSealing = false

  /** Finds the selected words in the page's text, or returns why they can't be evidence. Undefined without sealing. */
  const selectedWords = (value: string, range: Range): Selected | string | undefined => {
    if (!isSealing) return undefined
    try {
      return findSelected(value, range)
    } catch (error) {
      return error instanceof Failure ? error.message : sentenceOf('unreadablePart')
    }
  }

  const offer = () => {
    if (root.querySelector('form, .note')) return
    const selection = getSelection()
    const value = selection?.toString().trim() ?? ''
    if (!selection || selection.isCollapsed || value === '' || value.length > LIMITS.fieldMax) return hide()
    const range = selection.getRangeAt(0).cloneRange()
    const { left, bottom } = range.getBoundingClientRect()
    const button = element('button', { type: 'button', className: 'offer', textContent: '+ IOD' })
    // Without this, the selection is lost before the click.
    button.addEventListener('pointerdown', event => event.preventDefault())
    button.addEventListener('click', async event => {
      if (!(await isDeliberate(event)) || !button.isConnected) return
      const words = selectedWords(value, range)
      // The white space of a selection over several lines differs from that of the page's text.
      const isOther = typeof words === 'object' && relationOf(words.place.exact, value) === null
      showForm(popup, isOther ? words.place.exact : value, words, { onCreated, showNote })
    })
    show(button)
    place(left, bottom + 6)
  }

  /** Replaces the form by a text, until the user closes it. */
  const showNote = (text: string) => {
    const close = element('button', { type: 'button', textContent: 'Close' })
    const actions = element('div', { className: 'actions' }, close)
    const note = element('div', { className: 'note' }, element('p', { textContent: text }), actions)
    note.setAttribute('role', 'status')
    close.addEventListener('click', event => event.isTrusted && hide())
    show(note)
    popup.keepInside()
    close.focus()
  }

  // The browser updates the selection after the event. Clicks on the button itself don't count.
  const offerSoon = (event: Event) => event.isTrusted && event.target !== host && setTimeout(offer)
  const stop = () => {
    document.removeEventListener('pointerup', offerSoon)
    document.removeEventListener('keyup', offerSoon)
    hide()
  }
  return {
    /** Sets whether new IODs get the selected words as evidence. */
    setSealing(on: boolean) {
      isSealing = on
    },
    start() {
      document.addEventListener('pointerup', offerSoon)
      document.addEventListener('keyup', offerSoon)
    },
    stop,
    /** Ends the button after an update of the extension. A note replaces an open form: “reload this page”. */
    disconnect() {
      const wasOpen = root.querySelector('form') !== null
      const { left, top } = host.getBoundingClientRect()
      stop()
      if (!wasOpen) return
      showNote(`${sentenceOf('updated')}.`)
      place(left, top)
    },
  }
}
