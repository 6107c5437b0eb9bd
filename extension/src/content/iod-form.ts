import { CATEGORIES, type Category, cutText, LIMITS } from '@iodine/contracts'
import { suggestCategory } from '@iodine/known-iods'
import { failureOf } from '../shared/failures'
import { type CreatedIod, sendRequest } from '../shared/messages'
import { element } from './element'
import type { createPopup } from './popup'
import { quotedPage, type Selected } from './quote'

const labelled = (text: string, field: HTMLElement): HTMLLabelElement =>
  element('label', { textContent: text }, field)

/** Creates the elements of the form. */
const createFields = (value: string) => {
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
  const form = element(
    'form',
    {},
    labelled('Value', valueField),
    labelled('IOD Category', categoryField),
    labelled('Description', descriptionField),
    problem,
    element('div', { className: 'actions' }, cancel, create),
  )
  form.setAttribute('aria-label', 'Create IOD')
  return { form, valueField, categoryField, descriptionField, problem, create, cancel }
}

/**
 * Shows the form that creates an IOD of selected words.
 * @param words the words in the page's text, or why they can't be evidence; undefined without evidence
 */
export const showForm = (
  { isDeliberate, keepInside, hide, show }: ReturnType<typeof createPopup>,
  value: string,
  words: Selected | string | undefined,
  { onCreated, showNote }: { onCreated: () => void; showNote: (text: string) => void },
): void => {
  const { form, valueField, categoryField, descriptionField, problem, create, cancel } = createFields(value)
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
