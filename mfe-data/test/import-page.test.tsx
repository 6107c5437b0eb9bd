import 'fake-indexeddb/auto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordImport } from '@iodine/contracts'
import { type Answer, type Call, openSection, type Routes } from '@iodine/mfe-kit/testing'
import { forgetDrafts } from '@iodine/ui'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { answer, type FromReader, type ToReader } from '../src/drafts/reader'
import { parcel } from '../src/parcel'
import { id } from './fixtures'

const PATH = '/dashboard/data/import'
const SAMPLES = join(import.meta.dirname, '../../packages/imports/test/samples')
const sample = (name: string) => readFileSync(join(SAMPLES, name))

/** A worker on the thread of the test, as happy-dom has none. */
class LocalWorker extends EventTarget {
  onmessage?: (event: { data: FromReader }) => void
  constructor() {
    super()
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data: { type: 'ready' } })))
  }
  postMessage(request: ToReader) {
    void answer(request, data => this.onmessage?.({ data }))
  }
  terminate() {
    this.onmessage = () => {}
  }
}
beforeEach(() => {
  vi.stubGlobal('Worker', LocalWorker)
  vi.stubGlobal('__webpack_public_path__', '/')
  vi.stubGlobal('WORKER_VERSION', '1')
})

/** A stub of the collector's imports, which keeps the received records. */
const server = () => {
  const imports: RecordImport[] = []
  const received: unknown[] = []
  const routes = {
    'GET /imports': () => [200, imports],
    'GET /imports/:id': ({ params }) => [200, imports.find(each => each.id === params.id)],
    'POST /imports': ({ body }) => {
      const { file_time: _, new_records: __, ...stated } = body as RecordImport & Record<string, unknown>
      const created: RecordImport = {
        ...stated,
        id: id(),
        state: 'open',
        received: 0,
        created: 0,
        merged: 0,
        unchanged: 0,
        refused: [],
        created_at: new Date().toISOString(),
        undo_until: new Date(Date.now() + 86_400_000).toISOString(),
      }
      imports.unshift(created)
      return [201, created]
    },
    'POST /:source/data/known': ({ body }) => [
      200,
      (body as { keys: string[] }).keys.map((_, at) => at === 0),
    ],
    'POST /:source/data': ({ body }) => {
      const { records, offset, import_id } = body as { records: unknown[]; offset: number; import_id: string }
      const run = imports.find(each => each.id === import_id)
      if (!run || offset !== run.received) return [409, { detail: `offset: must be ${run?.received}` }]
      received.push(...records)
      run.received += records.length
      run.created += records.length
      return [200, { results: records.map(() => ({ id: id(), status: 'created' })) }]
    },
    'DELETE /imports/:id': ({ params }) => {
      const run = imports.find(each => each.id === params.id) as RecordImport
      run.state = 'undoing'
      return [202, run]
    },
  } satisfies Routes
  return { imports, received, routes }
}

const open = (routes: Routes, change = {}) => openSection(parcel, '/dashboard/data', PATH, routes, change)

const fileOf = (name: string, content: BlobPart) =>
  new File([content], name, { lastModified: 1_763_600_000_000 })
const choose = async (...files: File[]) =>
  fireEvent.change(await screen.findByLabelText('Files to import'), { target: { files } })
/** Presses a button once it is enabled. */
const press = async (name: string | RegExp) => {
  const button = () => screen.getByRole<HTMLButtonElement>('button', { name })
  await waitFor(() => expect(button().disabled).toBe(false))
  fireEvent.click(button())
}
const batches = (calls: Call[]) =>
  calls
    .filter(({ route }) => route === 'POST /:source/data')
    .map(({ body }) => (body as { offset: number }).offset)

/** NDJSON of Zeeschuimer with posts of X. */
const zeeschuimer = (count: number): string => {
  const [line = ''] = sample('zeeschuimer-twitter.ndjson').toString().split('\n')
  const first = JSON.parse(line) as { item_id: string; data: { rest_id: string; legacy: { id_str: string } } }
  return Array.from({ length: count }, (_, at) => {
    const id = String(1_800_000_000_000_000_000n + BigInt(at) * 4_194_304_000n)
    const data = { ...first.data, rest_id: id, legacy: { ...first.data.legacy, id_str: id } }
    return JSON.stringify({ ...first, item_id: id, data })
  }).join('\n')
}

test('shows the plan of a file, sends it once it is confirmed, and lists the import', async () => {
  const { routes, received } = server()
  const { calls, toasts } = await open(routes)
  expect(await screen.findByText('No imports yet')).toBeTruthy()
  await choose(fileOf('a.ndjson', `${zeeschuimer(3)}\nbroken`))
  expect(await screen.findByText('3 records: 2 new, 1 in your data already')).toBeTruthy()
  expect(screen.getByText('X 3')).toBeTruthy()
  expect(screen.getByText('1 item left out')).toBeTruthy()
  expect(screen.getByText('line 4')).toBeTruthy()
  expect(batches(calls)).toEqual([])
  await press('Import 3 records')
  expect(await screen.findByText('3 new, 0 completed, 0 unchanged')).toBeTruthy()
  await waitFor(() => expect(screen.queryByLabelText('Chosen files')).toBeNull())
  expect(received).toHaveLength(3)
  expect(toasts).toMatchObject([{ title: 'Imported', description: '3 records of a.ndjson' }])
  const created = calls.find(({ route }) => route === 'POST /imports')?.body
  expect(created).toMatchObject({
    format: 'zeeschuimer',
    file_name: 'a.ndjson',
    total: 3,
    new_records: 2,
    file_time: '2025-11-20T00:53:20.000Z',
    file_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('shows hostile names and texts as text, and states why a file cannot be read', async () => {
  await open(server().routes)
  const name = '<img src=x onerror=alert(1)>.csv'
  await choose(
    fileOf(name, 'text,<script>\n<b>bold</b>,\u202e\n'),
    fileOf('empty.json', ''),
    fileOf('picture.jpg', Uint8Array.of(0xff, 0xd8, 0xff, 0)),
  )
  expect(await screen.findByText(name)).toBeTruthy()
  expect(await screen.findByText('<b>bold</b>')).toBeTruthy()
  expect(document.querySelector('img, script, b')).toBeNull()
  expect(await screen.findByText('The file is empty.')).toBeTruthy()
  expect(await screen.findByText('Iodine does not know this format.')).toBeTruthy()
})

test('pauses after a network error and goes on at the position of the server, also after a reload', async () => {
  const { routes, imports, received } = server()
  let isDown = true
  const failing: Routes = {
    ...routes,
    'POST /:source/data': (call: Call): Answer => {
      const { offset } = call.body as { offset: number }
      // The server stores the second batch, but its answer is lost.
      const answer = routes['POST /:source/data'](call) as Answer
      return isDown && offset === 500 ? null : answer
    },
  }
  const owner = { id: 'a'.repeat(24) }
  const first = await open(failing, owner)
  await choose(fileOf('a.ndjson', zeeschuimer(1_001)))
  await press('Import 1,001 records')
  expect(await screen.findByText(/The server did not answer/)).toBeTruthy()
  expect(screen.getByText('Paused: 500 of 1,001 records')).toBeTruthy()
  expect(batches(first.calls)).toEqual([0, 500])
  isDown = false
  const second = await open(failing, owner)
  await press('Resume')
  expect(await screen.findByText('1,001 new, 0 completed, 0 unchanged')).toBeTruthy()
  expect(batches(second.calls)).toEqual([1_000])
  expect(received).toHaveLength(1_001)
  expect(imports).toHaveLength(1)
})

test('keeps the draft of one user from another, and deletes it at the sign-out', async () => {
  const { routes } = server()
  const owner = { id: 'b'.repeat(24) }
  await open(routes, owner)
  await choose(fileOf('a.ndjson', zeeschuimer(1)))
  expect(await screen.findByText('1 record: 0 new, 1 in your data already')).toBeTruthy()
  await open(routes, { id: 'c'.repeat(24) })
  expect(await screen.findByText('No imports yet')).toBeTruthy()
  expect(screen.queryByText('a.ndjson')).toBeNull()
  await open(routes, owner)
  expect(await screen.findByText('a.ndjson')).toBeTruthy()
  forgetDrafts()
  await waitFor(async () => expect(await indexedDB.databases()).toEqual([]))
  await open(routes, owner)
  expect(await screen.findByText('No imports yet')).toBeTruthy()
  expect(screen.queryByText('a.ndjson')).toBeNull()
})

test('shows a full quota before the first batch', async () => {
  const detail = 'Your quota of 20,000 records is full'
  const { calls } = await open({ ...server().routes, 'POST /imports': [413, { detail }] })
  await choose(fileOf('a.ndjson', zeeschuimer(1)))
  await press('Import 1 record')
  expect(await screen.findByText(new RegExp(detail))).toBeTruthy()
  expect(batches(calls)).toEqual([])
  expect(screen.getByRole('button', { name: 'Import 1 record' })).toBeTruthy()
})

test('proposes columns, asks for the zone of times, and remembers the choice for the next table', async () => {
  const { routes, received } = server()
  await open(routes)
  await choose(fileOf('generic.csv', sample('generic.csv')))
  const form = within(await screen.findByRole('form', { name: 'Questions about the file' }))
  expect(form.getByRole('region', { name: 'First rows' }).textContent).toContain('The gauge, off #gauge')
  const select = (label: string) => form.getByLabelText<HTMLSelectElement>(label)
  expect(select('URL').value).toBe('Link')
  fireEvent.change(select('URL'), { target: { value: '' } })
  fireEvent.change(select('Text'), { target: { value: '' } })
  expect(form.getByText('Choose a column for Text or for URL.')).toBeTruthy()
  expect(form.getByRole<HTMLButtonElement>('button', { name: 'Continue' }).disabled).toBe(true)
  fireEvent.change(select('URL'), { target: { value: 'Link' } })
  fireEvent.change(select('Title'), { target: { value: 'Post' } })
  fireEvent.change(select('Time zone'), { target: { value: 'Europe/Paris' } })
  await press('Continue')
  await press(/^Import \d+ records$/)
  await waitFor(() => expect(received.length).toBeGreaterThan(0))
  expect(JSON.stringify(received)).toContain('2025-11-13T02:13:20.000Z')
  await choose(fileOf('next.csv', sample('generic.csv')))
  const again = within(await screen.findByRole('form', { name: 'Questions about the file' }))
  expect(again.getByLabelText<HTMLSelectElement>('Title').value).toBe('Post')
  expect(again.getByLabelText<HTMLSelectElement>('Text').value).toBe('')
})

test('asks for the encoding of a file that turns out not to be UTF-8', async () => {
  const { routes, received } = server()
  await open(routes)
  const ascii = Array.from({ length: 9_000 }, (_, n) => `https://blog.example.org/${n},a text of row ${n}`)
  const bytes = [
    new TextEncoder().encode(`url,text\n${ascii.join('\n')}\nhttps://blog.example.org/x,caf`),
    Uint8Array.of(0xe9, 0x0a),
  ]
  await choose(new File(bytes, 'late.csv', { lastModified: 1_763_600_000_000 }))
  await press('Continue')
  expect(await screen.findByLabelText<HTMLSelectElement>('Encoding')).toHaveProperty('value', 'windows-1252')
  await press('Continue')
  await press('Import 9,001 records')
  await waitFor(() => expect(received).toHaveLength(9_001))
  expect(JSON.stringify(received)).toContain('café')
})

test('cancelling keeps what was sent, and Undo removes it', async () => {
  const { routes, imports } = server()
  let release = () => {}
  const held: Routes = {
    ...routes,
    'POST /:source/data': async (call: Call) => {
      const { offset } = call.body as { offset: number }
      if (offset === 500)
        await new Promise<void>(resolve => {
          release = resolve
        })
      return routes['POST /:source/data'](call) as Answer
    },
  }
  await open(held)
  await choose(fileOf('a.ndjson', zeeschuimer(501)))
  await press('Import 501 records')
  expect(await screen.findByText('Importing: 500 of 501 records')).toBeTruthy()
  await press('Cancel')
  await press('Cancel import')
  await waitFor(() => expect(screen.queryByLabelText('Chosen files')).toBeNull())
  release()
  await press('Undo the import of a.ndjson')
  await press('Undo import')
  expect(await screen.findByText('Undoing…')).toBeTruthy()
  imports.splice(0)
  expect(await screen.findByText('No imports yet', undefined, { timeout: 10_000 })).toBeTruthy()
})
