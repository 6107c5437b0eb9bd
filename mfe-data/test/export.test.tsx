import { defineParcel } from '@iodine/mfe-kit'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ExportButton } from '../src/pages/ExportButton'
import { video } from './fixtures'

const VIDEOS = Array.from({ length: 250 }, () => video())
const listed: Routes = {
  'GET /:source/data': ({ params, search }) => {
    const found = params.source === 'tiktok' ? VIDEOS : []
    const from = Number(search.get('cursor') ?? 0)
    const to = from + Number(search.get('limit'))
    const next = to < found.length && { 'X-Next-Cursor': String(to) }
    return [200, found.slice(from, to), { 'X-Total-Count': String(found.length), ...next }]
  },
}
const CHOSEN = new Set(VIDEOS.slice(0, 2).map(({ id }) => id))
const parcel = defineParcel({
  '/': () => <ExportButton source="tiktok" term="" analyzed={{}} chosen={CHOSEN} />,
})
const filtered = defineParcel({
  '/': () => (
    <ExportButton source="tiktok" term="sea" analyzed={{ hour: 9, novelty: 'known' }} chosen={null} />
  ),
})
const open = (routes: Routes = {}) =>
  openSection(parcel, '/dashboard/data', '/dashboard/data', { ...listed, ...routes })
const openDialog = async () => {
  fireEvent.click(await screen.findByRole('button', { name: 'Export' }))
  return within(await screen.findByRole('dialog', { name: 'Export my data' }))
}

test('exports all records page by page', async () => {
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:')
  saved.mockClear()
  const { toasts, calls } = await open()
  const dialog = await openDialog()
  fireEvent.click(dialog.getByLabelText('All my data'))
  fireEvent.change(dialog.getByLabelText('Format'), { target: { value: 'json' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Export' }))
  await waitFor(() => expect(toasts).toHaveLength(1))
  expect(toasts[0]?.title).toMatch(/^250 records exported as my_data_\d{4}-\d\d-\d\d\.json$/)
  const [[file] = []] = saved.mock.calls
  const written = JSON.parse(await (file as Blob).text())
  expect(written.map(({ id }: { id: string }) => id)).toEqual(VIDEOS.map(({ id }) => id))
  const pages = calls.filter(({ search }) => search.get('limit') === '100')
  expect(pages.filter(({ params }) => params.source === 'tiktok')).toHaveLength(3)
})

test('exports the selected records, and reads no further page', async () => {
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:')
  saved.mockClear()
  const { toasts, calls } = await open()
  const dialog = await openDialog()
  expect(dialog.getByLabelText<HTMLInputElement>('Selected: 2 records').checked).toBe(true)
  fireEvent.change(dialog.getByLabelText('Format'), { target: { value: 'ndjson' } })
  fireEvent.click(dialog.getByRole('button', { name: 'Export' }))
  await waitFor(() => expect(toasts[0]?.title).toMatch(/^2 records exported/))
  const [[file] = []] = saved.mock.calls
  const lines = (await (file as Blob).text()).trim().split('\n')
  expect(new Set(lines.map(line => JSON.parse(line).id))).toEqual(CHOSEN)
  expect(calls).toHaveLength(1)
})

test('exports the records of the search and of the filters from Analytics', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:')
  const { toasts, calls } = await openSection(filtered, '/dashboard/data', '/dashboard/data', listed)
  const dialog = await openDialog()
  const label = /that contain “sea” at 09:00–09:59 · with an IOD known when collected/
  expect(dialog.getByLabelText<HTMLInputElement>(label).checked).toBe(true)
  fireEvent.click(dialog.getByRole('button', { name: 'Export' }))
  await waitFor(() => expect(toasts).toHaveLength(1))
  const searches = calls.map(({ search }) => [search.get('q'), search.get('hour'), search.get('novelty')])
  expect(new Set(searches.map(String))).toEqual(new Set(['sea,9,known']))
})

test('Cancel stops an export, and a failure is reported', async () => {
  let release = () => {}
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:')
  saved.mockClear()
  let fails = false
  const { toasts } = await open({
    'GET /:source/data': async call => {
      if (call.search.get('limit') === '100') {
        if (fails) return [400, { detail: 'Unknown cursor' }]
        await new Promise<void>(resolve => {
          release = resolve
        })
      }
      return [200, [], { 'X-Total-Count': '0' }]
    },
  })
  let dialog = await openDialog()
  fireEvent.click(dialog.getByRole('button', { name: 'Export' }))
  expect(await dialog.findByText(/0 read/)).toBeTruthy()
  fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  release()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect([saved.mock.calls, toasts]).toEqual([[], []])
  fails = true
  dialog = await openDialog()
  fireEvent.click(dialog.getByRole('button', { name: 'Export' }))
  await waitFor(() => expect(toasts[0]?.description).toBe('Unknown cursor'))
  expect(saved).not.toHaveBeenCalled()
})
