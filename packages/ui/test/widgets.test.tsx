import { CATEGORIES } from '@iodine/contracts'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { config as transitions } from 'react-transition-group'
import { expect, test, vi } from 'vitest'
import { CategoryTag, DateTime, ErrorCallout, formatFrenchDate, Loading, SearchInput } from '../src'
import { ConfirmDialog, IodDialog, showToast } from '../src/overlays'

test('gives each category a defined colour class', () => {
  for (const category of CATEGORIES) {
    const { container } = render(<CategoryTag category={category} />)
    expect(container.textContent).toBe(category)
    expect(container.firstElementChild?.className).not.toContain('undefined')
    cleanup()
  }
})

test('delays the spinner, then shows Loading...', async () => {
  render(<Loading />)
  expect(screen.getByRole('status').textContent).toBe('')
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Loading...'))
})

test('offers Retry only for an action that can be retried', () => {
  const retry = vi.fn()
  render(<ErrorCallout title="Failed" onRetry={retry} />)
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  expect(retry).toHaveBeenCalledOnce()
  cleanup()
  render(<ErrorCallout title="Failed" />)
  expect(screen.queryByRole('button')).toBeNull()
})

test("focuses the search on '/', except while another field has the focus", () => {
  render(
    <>
      <SearchInput value="" onChange={() => {}} placeholder="Search campaigns..." />
      <textarea aria-label="notes" />
    </>,
  )
  const search = screen.getByLabelText('Search campaigns...')
  fireEvent.keyDown(screen.getByLabelText('notes'), { key: '/' })
  expect(document.activeElement).not.toBe(search)
  fireEvent.keyDown(document.body, { key: '/' })
  expect(document.activeElement).toBe(search)
})

test('closes the IOD form on success and keeps its values on failure', async () => {
  const onClose = vi.fn()
  const onSubmit = vi.fn().mockResolvedValueOnce(false).mockResolvedValueOnce(true)
  render(
    <IodDialog
      isOpen
      title="Create IOD from Data Field"
      initial={{ value: '#x' }}
      categories={CATEGORIES}
      canSubmit={draft => draft.value !== '' && draft.category !== ''}
      onSubmit={onSubmit}
      onClose={onClose}
    />,
  )
  const submit = screen.getByRole('button', { name: 'Create IOD' }) as HTMLButtonElement
  expect(submit.disabled).toBe(true)
  fireEvent.change(screen.getByLabelText('Category'), { target: { value: 'HASHTAGS' } })
  expect(submit.disabled).toBe(false)
  fireEvent.submit(submit.closest('.bp6-dialog')?.querySelector('form') as HTMLFormElement)
  await waitFor(() =>
    expect(onSubmit).toHaveBeenCalledWith({ value: '#x', category: 'HASHTAGS', description: '', source: '' }),
  )
  expect(onClose).not.toHaveBeenCalled()
  await waitFor(() => expect(submit.className).not.toContain('loading'))
  fireEvent.submit(submit.closest('.bp6-dialog')?.querySelector('form') as HTMLFormElement)
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})

test('gives an IOD form its initial value while the previous one still closes', () => {
  transitions.disabled = false
  try {
    const form = (isOpen: boolean, value: string) => (
      <IodDialog
        isOpen={isOpen}
        title="Convert to IOD"
        initial={{ value }}
        draftName={`a-user:${value}`}
        onSubmit={async () => true}
        onClose={() => {}}
      />
    )
    const { rerender } = render(form(true, 'first'))
    rerender(form(false, 'first'))
    // The closed dialog is still fading out.
    expect(screen.getByDisplayValue('first')).toBeTruthy()
    rerender(form(true, 'second'))
    expect(screen.queryByDisplayValue('first')).toBeNull()
    expect(screen.getByDisplayValue('second')).toBeTruthy()
  } finally {
    transitions.disabled = true
  }
})

test('closes a confirmation only after its action has completed', async () => {
  let finish = () => {}
  const onClose = vi.fn()
  render(
    <ConfirmDialog
      isOpen
      title="Delete data"
      confirmLabel="Delete"
      onConfirm={() => new Promise<void>(resolve => (finish = resolve))}
      onClose={onClose}
    >
      Are you sure you want to delete this data?
    </ConfirmDialog>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'Delete' }))
  expect(onClose).not.toHaveBeenCalled()
  finish()
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
})

test('shows a date, with the relative time in its tooltip', () => {
  const value = new Date(Date.now() - 3 * 3_600_000).toISOString()
  render(
    <>
      <DateTime value={value} />
      <DateTime value={value} format={formatFrenchDate} lang="fr" />
    </>,
  )
  const [english, french] = screen.getAllByRole('time')
  expect(english?.textContent).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/)
  expect([english?.title, english?.getAttribute('datetime')]).toEqual(['3 hours ago', value])
  expect([french?.title, french?.textContent]).toEqual(['il y a 3 heures', formatFrenchDate(value)])
})

/** Long enough that no toast expires during a test, even on a busy machine. */
const LONG_MS = 600_000

test('shows a toast with title and description and closes it by its button', async () => {
  await showToast({
    title: 'Deleted',
    description: 'Data deleted successfully',
    status: 'success',
    duration: LONG_MS,
  })
  await screen.findByText('Data deleted successfully')
  expect(screen.getByText('Deleted')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByText('Deleted')).toBeNull())
  await showToast({ title: 'Left behind', status: 'info', duration: LONG_MS })
  expect(await screen.findByText('Left behind')).toBeTruthy()
})

test('marks a French toast as French, except for the server’s English text', async () => {
  await showToast({ title: 'Vote enregistré', status: 'success', lang: 'fr', duration: LONG_MS })
  expect((await screen.findByText('Vote enregistré')).lang).toBe('fr')
  await showToast({
    title: 'Erreur',
    description: 'You already voted',
    status: 'error',
    lang: 'fr',
    descriptionLang: 'en',
    duration: LONG_MS,
  })
  expect((await screen.findByText('Erreur')).lang).toBe('fr')
  expect(screen.getByText('You already voted').lang).toBe('en')
})

test('counts a toast that is already visible, and shows at most three', async () => {
  // The stack of a position that no other test uses shows its first toast at once.
  const show = (title: string) =>
    showToast({ title, status: 'info', duration: LONG_MS, position: 'top-right' })
  await Promise.all(Array.from({ length: 6 }, () => show('Vote enregistré')))
  expect(await screen.findByText('×6')).toBeTruthy()
  expect(screen.getAllByText('Vote enregistré')).toHaveLength(1)
  for (const title of ['One', 'Two', 'Three']) await show(title)
  await waitFor(() => expect(screen.getByText('Three')).toBeTruthy())
  await waitFor(() => expect(screen.queryByText('Vote enregistré')).toBeNull())
  // A toast that was removed starts its counter again.
  await show('Vote enregistré')
  await waitFor(() => expect(screen.getByText('Vote enregistré')).toBeTruthy())
  expect(screen.queryByText(/×/)).toBeNull()
})

test('shows each toast with Undo separately, and closes it after Undo', async () => {
  const undone: string[] = []
  for (const key of ['first', 'second'])
    await showToast({
      title: 'Removed',
      status: 'success',
      duration: LONG_MS,
      key,
      action: { text: 'Undo', onClick: () => undone.push(key) },
    })
  await waitFor(() => expect(screen.getAllByText('Removed')).toHaveLength(2))
  // The newest is on top.
  fireEvent.click(screen.getAllByRole('button', { name: 'Undo' })[0] as HTMLElement)
  await waitFor(() => expect(screen.getAllByText('Removed')).toHaveLength(1))
  expect(undone).toEqual(['second'])
})

test('removes the toasts of the previous test', () => {
  expect(document.querySelector('.bp6-toast')).toBeNull()
})

test('closes a dialog immediately', () => {
  const dialog = (isOpen: boolean) => (
    <ConfirmDialog isOpen={isOpen} title="?" confirmLabel="Yes" onConfirm={async () => {}} onClose={() => {}}>
      Sure?
    </ConfirmDialog>
  )
  const { rerender } = render(dialog(true))
  expect(screen.getByText('Sure?')).toBeTruthy()
  rerender(dialog(false))
  expect(screen.queryByText('Sure?')).toBeNull()
})

test('keeps the draft of the IOD form on Escape, discards it on Cancel, and marks a missing field', async () => {
  const onSubmit = vi.fn(async () => false)
  const dialog = (isOpen: boolean) => (
    <IodDialog
      isOpen={isOpen}
      title="New"
      categories={CATEGORIES}
      required={['value', 'category', 'description']}
      draftName="ana:iod"
      onSubmit={onSubmit}
      onClose={() => rerender(dialog(false))}
    />
  )
  const { rerender } = render(dialog(true))
  const value = () => screen.getByLabelText<HTMLTextAreaElement>(/^Value/)
  fireEvent.change(value(), { target: { value: 'half' } })
  fireEvent.keyDown(value(), { key: 'Escape' })
  await waitFor(() => expect(screen.queryByLabelText(/^Value/)).toBeNull())
  rerender(dialog(true))
  expect(value().value).toBe('half')

  fireEvent.click(screen.getByRole('button', { name: 'Create IOD' }))
  await waitFor(() => expect(onSubmit).toHaveBeenCalledOnce())
  const category = screen.getByLabelText(/^Category/)
  expect(document.activeElement).toBe(category)
  expect([category.getAttribute('aria-invalid'), value().getAttribute('aria-invalid')]).toEqual([
    'true',
    null,
  ])

  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByLabelText(/^Value/)).toBeNull())
  rerender(dialog(true))
  expect(value().value).toBe('')
})
