import type { Iod } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { parcel } from '../src/parcel'
import { iod } from './fixtures'

// happy-dom has no layout: the table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1_000 })

const many = (count: number) => Array.from({ length: count }, (_, n) => iod(`value ${n};`))
const campaign = (name: string, iod_count = 0) => ({
  id: name.padStart(24, '0'),
  name,
  description: '',
  created_by_id: null,
  created_by_username: null,
  created_at: '2026-10-30T10:00:00.000Z',
  iod_count,
})

const open = (iods: Iod[], routes: Routes = {}) =>
  openSection(parcel, '/dashboard/iods', '/dashboard/iods', {
    'GET /iods': ({ search }) => {
      const found = iods.filter(({ value }) => value.includes(search.get('q') ?? ''))
      const from = Number(search.get('cursor') ?? 0)
      const to = from + Number(search.get('limit'))
      const next = to < found.length && { 'X-Next-Cursor': String(to) }
      return [200, found.slice(from, to), { 'X-Total-Count': String(found.length), ...next }]
    },
    'GET /iods/facets': () => [200, { total: iods.length, categories: {}, source_types: {} }],
    'GET /iods/:id/comments': [200, []],
    'POST /iods/consensus': [200, {}],
    'POST /iods/evidence/counts': [200, {}],
    ...routes,
  })

const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }))
const boxOf = async (value: string) =>
  within((await screen.findByText(value)).closest('tr') as HTMLElement).getByRole<HTMLInputElement>(
    'checkbox',
    { name: 'Select' },
  )
const selectedRows = () =>
  [...document.querySelectorAll('tr[data-selected]')].map(row => row.firstElementChild?.textContent)

test('selects and clears ranges with Shift, and keeps the selection under a filter', async () => {
  await open(many(20))
  fireEvent.click(await boxOf('value 5;'))
  fireEvent.click(await boxOf('value 2;'), { shiftKey: true })
  expect(selectedRows()).toEqual(['value 2;', 'value 3;', 'value 4;', 'value 5;'])
  fireEvent.click(await boxOf('value 3;'))
  fireEvent.click(await boxOf('value 4;'), { shiftKey: true })
  expect(selectedRows()).toEqual(['value 2;', 'value 5;'])
  const field = screen.getByPlaceholderText('Search by value or description...')
  fireEvent.change(field, { target: { value: 'value 7;' } })
  await waitFor(() => expect(screen.queryByText('value 2;')).toBeNull())
  expect(screen.getByText('2 selected')).toBeTruthy()
  await press('Select all 1 matching')
  expect(await screen.findByText('3 selected')).toBeTruthy()
  await press('Clear selection')
  expect(screen.queryByText(/selected$/)).toBeNull()
  expect(screen.queryByRole('button', { name: 'Add to campaign' })).toBeNull()
})

test('selects the first 5,000 IODs, adds them in batches, and reports a partial failure', {
  tags: 'long',
  timeout: 180_000,
}, async () => {
  const iods = many(5_600)
  const lake = campaign('Lake', 3)
  let batches = 0
  const { calls, toasts, path } = await open(iods, {
    'GET /campaigns': () => [200, [lake], { 'X-Total-Count': '1' }],
    'POST /campaigns/:id/add-iods': ({ body }) => {
      const { iod_ids } = body as { iod_ids: string[] }
      if (++batches === 4) return [413, { detail: 'The campaign is full' }]
      const isAgain = batches > 4 && batches <= 7
      return [
        200,
        {
          added: isAgain ? [] : iod_ids.slice(1),
          already: isAgain ? iod_ids.slice(1) : [],
          unknown: iod_ids.slice(0, 1),
        },
      ]
    },
  })
  await press('Select the first 5,000 of 5,600 matching')
  expect(await screen.findByText('5,000 selected', {}, { timeout: 60_000 })).toBeTruthy()
  expect(calls.filter(({ search }) => search.get('limit') === '500')).toHaveLength(10)

  fireEvent.click(await boxOf('value 0;'))
  expect(screen.getByText('4,999 selected')).toBeTruthy()
  await press('Select the first 5,000 of 5,600 matching')
  expect(await screen.findByText('5,000 selected', {}, { timeout: 60_000 })).toBeTruthy()

  await press('Add to campaign')
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to Campaign' }))
  const submit = dialog.getByRole<HTMLButtonElement>('button', { name: 'Add 5,000 IODs' })
  expect(submit.disabled).toBe(true)
  fireEvent.click(await dialog.findByRole('radio', { name: /^Lake 3 IODs/ }))
  fireEvent.click(submit)
  await waitFor(() => expect(toasts).toHaveLength(1))
  expect(toasts[0]?.description).toBe(
    '1,497 of 5,000 IODs are now in “Lake”. The others were not added: The campaign is full',
  )
  expect(screen.getByText('5,000 selected')).toBeTruthy()

  await waitFor(() => expect(submit.disabled).toBe(false))
  fireEvent.click(submit)
  await waitFor(() => expect(toasts).toHaveLength(2))
  expect(toasts[1]).toMatchObject({
    title: 'Added 3,493 IOD(s) to the campaign',
    description: '“Lake”. 1,497 IODs were already in the campaign. 10 IODs no longer exist.',
    status: 'warning',
    action: { text: 'View' },
  })
  const added = calls.filter(({ route }) => route === 'POST /campaigns/:id/add-iods').slice(4)
  const ids = added.flatMap(({ body }) => (body as { iod_ids: string[] }).iod_ids)
  expect(new Set(ids)).toEqual(new Set(iods.slice(0, 5_000).map(({ id }) => id)))
  await waitFor(() => expect(screen.queryByText(/selected$/)).toBeNull())
  toasts[1]?.action?.onClick()
  expect(path()).toBe(`/dashboard/campaigns/${lake.id}`)
})

test('requires a name for a new campaign, and does not create it twice after a failure', async () => {
  const made = campaign('Hills')
  let fails = true
  const { calls, toasts } = await open(many(2), {
    'GET /campaigns': ({ search }) => [200, search.has('q') || fails ? [] : [made], { 'X-Total-Count': '0' }],
    'POST /campaigns': () => [201, made],
    'POST /campaigns/:id/add-iods': ({ body }) =>
      fails
        ? [503, { detail: 'Service unavailable' }]
        : [200, { added: (body as { iod_ids: string[] }).iod_ids, already: [], unknown: [] }],
  })
  await press('Select all 2 matching')
  await press('Add to campaign')
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to Campaign' }))
  expect(await dialog.findByText('No campaigns yet')).toBeTruthy()
  fireEvent.click(dialog.getByRole('tab', { name: 'New campaign' }))
  fireEvent.click(dialog.getByRole('button', { name: 'Create and add 2 IODs' }))
  await waitFor(() => expect(toasts[0]?.description).toBe('Campaign name is required'))
  fireEvent.change(dialog.getByLabelText(/Campaign Name/), { target: { value: 'Hills' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Create and add 2 IODs' }))
  await waitFor(() => expect(toasts[1]?.description).toBe('Service unavailable'))
  expect(dialog.getByRole<HTMLInputElement>('radio', { name: /^Hills/ }).checked).toBe(true)
  fails = false
  const again = dialog.getByRole<HTMLButtonElement>('button', { name: 'Add 2 IODs' })
  await waitFor(() => expect(again.disabled).toBe(false))
  fireEvent.click(again)
  await waitFor(() => expect(toasts[2]?.title).toBe('Added 2 IOD(s) to the campaign'))
  expect(calls.filter(({ route }) => route === 'POST /campaigns')).toHaveLength(1)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('reports a selection that fails to load, and selects nothing', async () => {
  const iods = many(60)
  let fails = false
  const { toasts } = await open(iods, {
    'GET /iods': () => (fails ? [400, { detail: 'Unknown cursor' }] : [200, iods, { 'X-Total-Count': '60' }]),
  })
  await boxOf('value 0;')
  fails = true
  await press('Select all 60 matching')
  await waitFor(() => expect(toasts.map(({ description }) => description)).toEqual(['Unknown cursor']))
  expect(screen.queryByText(/selected$/)).toBeNull()
  expect(await screen.findByRole('button', { name: 'Select all 60 matching' })).toBeTruthy()
})
