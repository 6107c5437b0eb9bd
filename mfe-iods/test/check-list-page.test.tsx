import type { NewIod } from '@iodine/contracts'
import { encodeCampaigns } from '@iodine/known-iods'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { parcel } from '../src/parcel'
import { iod } from './fixtures'

// happy-dom has no layout: the table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1_000 })
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { get: () => 1_000 })

const KNOWN = iod('known.example', { category: 'DOMAIN' })
const LAKE = { id: 'c'.repeat(24), name: 'Lake', iod_ids: [KNOWN.id] }
type Values = { values: string[] }

const open = async (routes: Routes = {}) => {
  const overlay = await encodeCampaigns([LAKE])
  return openSection(parcel, '/dashboard/iods', '/dashboard/iods/check', {
    'POST /iods/lookup': ({ body }) => [200, (body as Values).values.includes(KNOWN.value) ? [KNOWN] : []],
    'POST /records/contained': ({ body }) => [
      200,
      (body as Values).values.map(value => (value.startsWith('seen') ? ['blog'] : [])),
    ],
    'GET /campaigns/overlay': () => [200, overlay],
    'GET /iods/facets': [200, { total: 0, categories: {}, source_types: {} }],
    ...routes,
  })
}
const paste = async (text: string) =>
  fireEvent.change(await screen.findByLabelText('Values, one per line'), { target: { value: text } })
const press = async (name: string | RegExp) => fireEvent.click(await screen.findByRole('button', { name }))
const rowOf = async (value: string) => within((await screen.findByText(value)).closest('tr') as HTMLElement)
const choose = (...files: File[]) =>
  fireEvent.change(document.querySelector('input[type=file]') as Element, { target: { files } })

test('checks a list, and filters the table by its sums', async () => {
  const { calls } = await open()
  await paste('known[.]example\nseen one\nnew one\nNEW ONE\n<b>bold</b>')
  expect(screen.getByRole('status').textContent).toBe('4 values, 1 repeated')
  await press('Check')
  const known = await rowOf('known.example')
  expect(known.getByRole('link', { name: 'Known' }).getAttribute('href')).toBe(`/dashboard/iods/${KNOWN.id}`)
  expect(known.getByRole('link', { name: 'Lake' })).toBeTruthy()
  expect((await rowOf('seen one')).getByRole('link', { name: 'Blogs' }).getAttribute('href')).toBe(
    '/dashboard/data?source=blog&q=seen+one',
  )
  expect((await rowOf('<b>bold</b>')).getByText('New')).toBeTruthy()
  const filters = within(screen.getByRole('group', { name: 'Show' })).getAllByRole('button')
  expect(filters.map(({ textContent }) => textContent)).toEqual([
    'All 4',
    'New 3',
    'Known 1',
    'In my data 1',
    'In campaigns 1',
  ])
  await press('In my data 1')
  expect(screen.queryByText('new one')).toBeNull()
  expect(screen.getByText('seen one')).toBeTruthy()
  expect(calls.map(({ route }) => route)).toEqual([
    'POST /iods/lookup',
    'POST /records/contained',
    'GET /campaigns/overlay',
  ])
  await press('Edit list')
  const { value } = await screen.findByLabelText<HTMLTextAreaElement>('Values, one per line')
  expect(value).toContain('known[.]example')
})

test('creates IODs; those that a full quota refuses stay with the reason', async () => {
  const full = 'You created 2 of 2 IODs a day: continue after midnight UTC'
  const sent: NewIod[] = []
  const { toasts } = await open({
    'POST /iods': ({ body }) => {
      const entered = body as NewIod
      if (entered.value === 'taken') return [409, { detail: 'This IOD already exists' }]
      if (sent.length === 2) return [413, { detail: full }]
      sent.push(entered)
      return [201, iod(entered.value, { category: entered.category })]
    },
  })
  await paste('one\n#two\nthree\nfour\nknown.example')
  await press('Check')
  fireEvent.change((await rowOf('one')).getByLabelText('Category'), { target: { value: 'TITLE' } })
  await press('Select all 5 shown')
  await press('Create 4 IODs')
  const dialog = within(await screen.findByRole('dialog', { name: 'Create 4 IODs' }))
  fireEvent.change(dialog.getByLabelText(/Source/), { target: { value: 'javascript:alert(1)' } })
  expect(dialog.getByText('Enter an http(s) URL, or leave it empty')).toBeTruthy()
  fireEvent.change(dialog.getByLabelText(/Source/), { target: { value: '' } })
  fireEvent.change(dialog.getByLabelText(/Description/), { target: { value: 'Seen in a report' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Create 4 IODs' }))
  await waitFor(() => expect(toasts).toHaveLength(1))
  expect(toasts[0]).toMatchObject({
    title: '2 of 4 IODs created',
    description: `Not created: ${full}`,
    status: 'warning',
  })
  expect(
    sent.map(({ value, category, description, source }) => [value, category, description, source]),
  ).toEqual([
    ['one', 'TITLE', 'Seen in a report', null],
    ['#two', 'HASHTAGS', 'Seen in a report', null],
  ])
  expect(await screen.findByRole('button', { name: 'Problems 2' })).toBeTruthy()
  expect((await rowOf('three')).getByText(`Not created: ${full}`)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Create 2 IODs' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Add 3 IODs to campaign' })).toBeTruthy()
})

test('adds the known IODs to a campaign, and downloads the table', async () => {
  const hills = {
    id: 'd'.repeat(24),
    name: 'Hills',
    description: '',
    created_by_id: null,
    created_by_username: null,
    created_at: '2026-10-30T10:00:00.000Z',
    iod_count: 0,
  }
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:')
  const { toasts } = await open({
    'GET /campaigns': [200, [hills], { 'X-Total-Count': '1' }],
    'POST /campaigns/:id/add-iods': [200, { added: [KNOWN.id], already: [], unknown: [] }],
  })
  await paste('known.example\n=cmd()')
  await press('Check')
  await press('Select all 2 shown')
  await press('Add 1 IOD to campaign')
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to Campaign' }))
  fireEvent.click(await dialog.findByRole('radio', { name: /^Hills/ }))
  fireEvent.click(dialog.getByRole('button', { name: 'Add 1 IOD' }))
  expect(await screen.findByText('+1')).toBeTruthy()
  await press('Download CSV')
  await waitFor(() => expect(toasts).toHaveLength(2))
  const [[file] = []] = saved.mock.calls
  const text = await (file as Blob).text()
  expect(text.split('\r\n').slice(1, 3)).toEqual([
    `known.example,known,DOMAIN,${KNOWN.id},,"Lake; Hills",`,
    "'=cmd(),new,SENTENCE,,,,",
  ])
})

test('reads files, refuses what is no text or too many values, and keeps the list', async () => {
  await open()
  await paste('first')
  choose(new File([Uint8Array.of(0x89, 0x50, 0)], 'a.png'))
  expect((await screen.findByRole('alert')).textContent).toContain('“a.png” is not a text file in UTF-8.')
  choose(new File(['id,value\n1,"a, b"\n2,c[.]example'], 'a.csv'))
  const field = screen.getByLabelText<HTMLTextAreaElement>('Values, one per line')
  await waitFor(() => expect(field.value).toBe('first\na, b\nc[.]example'))
  expect(screen.queryByRole('alert')).toBeNull()
  await paste(Array.from({ length: 10_001 }, (_, n) => `v${n}`).join('\n'))
  expect((await screen.findByRole('alert')).textContent).toContain('The list has 10,001 values.')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Check' }).disabled).toBe(true)
})

test('a check that fails can be retried, and the list remains', async () => {
  let fails = true
  await open({
    'POST /records/contained': ({ body }) =>
      fails ? [422, { detail: 'No' }] : [200, (body as Values).values.map(() => [])],
  })
  await paste('one')
  await press('Check')
  expect(await screen.findByText('The list could not be checked')).toBeTruthy()
  fails = false
  await press('Retry')
  expect(await rowOf('one')).toBeTruthy()
})
