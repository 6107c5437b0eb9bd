import { CATEGORIES, type Category, cutText, LIMITS } from '@iodine/contracts'
import { relationOf } from '@iodine/evidence'
import { suggestCategory } from '@iodine/known-iods'
import { isVisible, VISIBILITY } from '../shared/browser'
import { Failure, failureOf, sentenceOf } from '../shared/failures'
import { type CreatedIod, sendRequest } from '../shared/messages'
import css from './iod-button.css?raw'
import { findSelected, quotedPage, type Selected } from './quote'

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

/**
 * Offers '+ IOD' beside a selected text. Its elements are in a closed shadow root, which the page's scripts
 * can't read.
 */
export const createIodButton = (onCreated: () => void) => {
  const host = document.createElement('div')
  const root = host.attachShadow({ mode: 'closed' })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets = [sheet]
  // In the top layer, above all elements of the page.
  host.popover = 'manual'

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
      fill(isOther ? words.place.exact : value, words)
    })
    show(button)
    place(left, bottom + 6)
  }

  /** Replaces the form by a text, until the user closes it. */
  const showNote = (text: string) => {
    const note = element('div', { className: 'note' })
    note.setAttribute('role', 'status')
    const close = element('button', { type: 'button', textContent: 'Close' })
    const actions = element('div', { className: 'actions' })
    actions.append(close)
    note.append(element('p', { textContent: text }), actions)
    close.addEventListener('click', event => event.isTrusted && hide())
    show(note)
    keepInside()
    close.focus()
  }

  const fill = (value: string, words: Selected | string | undefined) => {
    const valueField = element('textarea', { value, rows: 3 })
    const categoryField = element('select', {})
    for (const category of CATEGORIES)
      if (category !== 'NARRATIVE_TRIPLET')
        categoryField.append(element('option', { value: category, textContent: category }))
    categoryField.value = suggestCategory(value.startsWith('@') ? 'username' : '', value)
    const description = cutText(`Seen on ${location.hostname}: ${document.title}`, LIMITS.fieldMax)
    const descriptionField = element('textarea', { value: description, rows: 2 })
    const problem = element('p', { className: 'problem' })
    problem.setAttribute('role', 'alert')
    const create = element('button', { type: 'submit', className: 'primary', textContent: 'Create IOD' })
    const cancel = element('button', { type: 'button', textContent: 'Cancel' })
    const actions = element('div', { className: 'actions' })
    actions.append(cancel, create)
    const form = element('form', {})
    form.setAttribute('aria-label', 'Create IOD')
    form.append(
      labelled('Value', valueField),
      labelled('IOD Category', categoryField),
      labelled('Description', descriptionField),
      problem,
      actions,
    )
    cancel.addEventListener('click', event => event.isTrusted && hide())
    const selected = typeof words === 'object' ? words : undefined
    const iodOf = () => ({ value: valueField.value, category: categoryField.value as Category })

    /** Runs an action of the user, one at a time, and shows its failure in the form. */
    const run = async (event: Event, button: HTMLButtonElement, work: () => Promise<void>) => {
      event.preventDefault()
      if (button.disabled || valueField.value.trim() === '') return
      button.disabled = true
      try {
        if (await isDeliberate(event)) await work()
      } catch (error) {
        problem.textContent = failureOf(error).message
      } finally {
        button.disabled = false
      }
    }
    const end = ({ isNew, problem: reason }: CreatedIod) => {
      onCreated()
      if (reason === undefined || !form.isConnected) return hide()
      showNote(
        isNew ? `The IOD was created, without evidence: ${reason}.` : `Your quote was not added: ${reason}.`,
      )
    }

    const addQuote = element('button', {
      type: 'button',
      className: 'primary',
      textContent: 'Add your quote to the existing IOD',
    })
    addQuote.addEventListener('click', event =>
      run(event, addQuote, async () => {
        if (selected) end(await sendRequest('quoteIod', { iod: iodOf(), quoted: await quotedPage(selected) }))
      }),
    )
    for (const field of [valueField, categoryField])
      field.addEventListener('input', () => {
        addQuote.remove()
        problem.textContent = ''
      })

    form.addEventListener('submit', event =>
      run(event, create, async () => {
        const iod = { ...iodOf(), description: descriptionField.value }
        const quoted = selected && (await quotedPage(selected))
        const created = await sendRequest('createIod', { iod, quoted })
        if (created.isNew) return end(typeof words === 'string' ? { ...created, problem: words } : created)
        problem.textContent = 'This IOD already exists'
        onCreated()
        if (!selected) return
        problem.after(addQuote)
        keepInside()
        addQuote.focus()
      }),
    )
    show(form)
    valueField.focus()
  }

  for (const type of ['keydown', 'keyup', 'keypress', 'input', 'pointerdown', 'click', 'submit'])
    root.addEventListener(type, event => {
      if ((event as KeyboardEvent).key === 'Escape') hide()
      // Typing here must not trigger the page's shortcuts.
      event.stopPropagation()
    })

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

const element = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] => Object.assign(document.createElement(name), properties)

const labelled = (text: string, field: HTMLElement): HTMLLabelElement => {
  const label = element('label', { textContent: text })
  label.append(field)
  return label
}
