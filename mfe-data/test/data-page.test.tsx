import { findFolded, type Iod, matchKey, matchKeys, type Stored } from '@iodine/contracts'
import { type Answer, type Call, openSection, type Routes, user } from '@iodine/mfe-kit/testing'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withHits } from '../src/model/search'
import { parcel } from '../src/parcel'
import { article, iod, otherPost, post, video } from './fixtures'

interface Store {
  tiktok: Stored[]
  telegram: Stored[]
  blog: Stored[]
  post: Stored[]
  iods: Iod[]
}

/** A stub API with its data in `store` and paginated lists. */
const api = (store: Store) =>
  ({
    'GET /:source/data': ({ params, search }) => {
      const records = store[params.source as keyof Store] as Stored[]
      const from = records.findIndex(({ id }) => id === search.get('cursor')) + 1
      const to = from + Number(search.get('limit'))
      return [
        200,
        records.slice(from, to),
        {
          'X-Total-Count': String(records.length),
          ...(to < records.length && { 'X-Next-Cursor': records[to - 1]?.id as string }),
        },
      ]
    },
    'GET /captures': [200, []],
    'GET /:source/data/shared': [200, []],
    'POST /iods/:id/evidence': [201, {}],
    'GET /iods': () => [200, store.iods.filter(({ created_by_id }) => created_by_id === user.id)],
    'POST /iods/lookup': ({ body }) => {
      const { values } = body as { values: string[] }
      const keys = values.flatMap(matchKeys)
      return [200, store.iods.filter(iod => keys.includes(matchKey(iod)))]
    },
    'POST /iods': ({ body }) => {
      const created = { ...iod(''), ...(body as Partial<Iod>), created_by_id: user.id }
      store.iods.unshift(created)
      return [201, created]
    },
  }) satisfies Routes

/** Overrides the list of a source. If `answer` returns undefined, the store's list is served. */
const listOr = (store: Store, answer: (source: string) => Answer | undefined): Routes => ({
  'GET /:source/data': call => answer(call.params.source ?? '') ?? api(store)['GET /:source/data'](call),
})

const storeOf = (store: Partial<Store>): Store => ({
  tiktok: [],
  telegram: [],
  blog: [],
  post: [],
  iods: [],
  ...store,
})
const open = (store: Partial<Store>, routes: Routes = {}, path = '/dashboard/data') =>
  openSection(parcel, '/dashboard/data', path, { ...api(storeOf(store)), ...routes })

const isTiktokList = ({ route, params }: Call) => route === 'GET /:source/data' && params.source === 'tiktok'

const firstCard = async () => (await screen.findAllByRole('article'))[0] as HTMLElement
const press = async (name: string | RegExp, within_ = screen as Pick<typeof screen, 'findByRole'>) =>
  fireEvent.click(await within_.findByRole('button', { name }))

// happy-dom has no layout: cards need a height, so that only a few fit.
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 600 })

/** Selects `text` in an element, like a user with the mouse. */
const select = (element: HTMLElement, text: string) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const starts: [Node, number][] = []
  let all = ''
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    starts.push([node, all.length])
    all += node.nodeValue
  }
  const at = (offset: number) => {
    const [node, start] = starts.findLast(([, from]) => from <= offset) as [Node, number]
    return [node, offset - start] as const
  }
  const from = all.indexOf(text)
  act(() => {
    window.getSelection()?.setBaseAndExtent(...at(from), ...at(from + text.length - 1))
    const range = window.getSelection()?.getRangeAt(0)
    range?.setEnd(range.endContainer, range.endOffset + 1)
    document.dispatchEvent(new Event('selectionchange'))
  })
}

test('counts the records of each tab, and stores the selected tab in the URL', async () => {
  const { search } = await open({ tiktok: [video(), video()], blog: [article()] })
  await firstCard()
  await waitFor(() =>
    expect(screen.getAllByRole('tab').map(tab => tab.textContent)).toEqual([
      'Short videos2',
      'Messaging channels0',
      'Blogs1',
    ]),
  )
  fireEvent.click(screen.getByRole('tab', { name: /Blogs/ }))
  expect(await screen.findByText('Image hashes')).toBeTruthy()
  expect(search()).toBe('?source=blog')
  fireEvent.click(screen.getByRole('tab', { name: /Messaging/ }))
  expect(await screen.findByText('No data collected yet')).toBeTruthy()
})

test('posts of other platforms have a tab once there is one, and cards that state the import', async () => {
  const store = storeOf({ tiktok: [video()] })
  await open(store)
  await firstCard()
  const titles = () => screen.getAllByRole('tab').map(tab => tab.textContent)
  expect(titles()).toHaveLength(3)
  store.post.push(otherPost())
  await press('Refresh')
  await waitFor(() => expect(titles()).toContain('Other posts1'))
  fireEvent.click(screen.getByRole('tab', { name: /Other posts/ }))
  const card = within(await screen.findByRole('article', { name: 'Night Desk' }))
  expect(card.getByText('Imported')).toBeTruthy()
  expect(card.getByText(/Collected, as the file states,/)).toBeTruthy()
  store.post.pop()
  await press('Refresh')
  await waitFor(() => expect(titles()).toHaveLength(3))
  expect(screen.queryByText('Imported')).toBeNull()
})

test('the tab of posts stays while a search finds none', async () => {
  const store = storeOf({ post: [otherPost()] })
  const answer: Routes = {
    'GET /:source/data': call =>
      call.search.has('q') ? [200, [], { 'X-Total-Count': '0' }] : api(store)['GET /:source/data'](call),
  }
  await open(store, answer, '/dashboard/data?source=post&q=nothing')
  expect(await screen.findByText('Nothing found')).toBeTruthy()
  expect((await screen.findByRole('tab', { selected: true })).textContent).toBe('Other posts0')
})

test('a link to posts of other platforms opens their tab', async () => {
  await open({ post: [otherPost()] }, {}, '/dashboard/data?source=post&q=numbers')
  expect((await screen.findByRole('tab', { selected: true })).textContent).toMatch(/^Other posts/)
  await firstCard()
})

test('shows fields, footer and position on a card, and hostile text as plain text', async () => {
  const record = article()
  await open({ blog: [record] }, {}, '/dashboard/data?source=blog')
  const card = within(await firstCard())
  expect(card.getAllByText('<img src=x onerror=alert(1)>').length).toBeGreaterThan(0)
  expect(document.querySelector('img, script')).toBeNull()
  expect(card.getByText(/^Collected/).textContent).toContain('Nov 20, 2026')
  expect(card.getByText('Source: blog')).toBeTruthy()
  expect(card.getByTitle(record.id).textContent).toContain(record.id.slice(0, 8))
  const links = card
    .getAllByRole('button', { name: /in new tab/ })
    .map(link => [link.getAttribute('href'), link.getAttribute('rel')])
  expect(links).toEqual([
    ['https://blog.example.org/a', 'noopener noreferrer'],
    ['https://blog.example.org/a.b$c.png', 'noopener noreferrer'],
  ])
  expect((await firstCard()).getAttribute('aria-setsize')).toBe('1')
})

test('shows a badge for a value that is an IOD, and highlights IODs within a text', async () => {
  const { calls } = await open({
    tiktok: [video()],
    iods: [iod('NIGHT.watch', 'USERNAME'), iod('hide the numbers'), iod('the numbers from us')],
  })
  const card = within(await firstCard())
  expect(await card.findByText('IOD')).toBeTruthy()
  expect(card.queryByRole('button', { name: 'Create IOD from Author Unique ID' })).toBeNull()
  const marks = [...(await firstCard()).querySelectorAll('mark')].map(mark => mark.textContent)
  expect(marks).toEqual(['hide ', 'the numbers', ' from us', 'night.watch'])
  const lookups = calls.filter(({ route }) => route === 'POST /iods/lookup')
  expect(lookups).toHaveLength(1)
})

test('creates an IOD of the suggested category from a selected text, and highlights it', async () => {
  const { calls, toasts } = await open({ tiktok: [video()], iods: [iod('hide the numbers')] })
  const card = await firstCard()
  await waitFor(() => expect(card.querySelector('mark')).toBeTruthy())
  select(fieldOf(card, 'Video Description'), 'numbers fr')
  await press('+ IOD')
  const dialog = within(await screen.findByRole('dialog', { name: 'Create IOD from Data Field' }))
  expect(dialog.getByLabelText<HTMLTextAreaElement>('Value').value).toBe('numbers fr')
  expect(dialog.getByLabelText<HTMLSelectElement>('IOD Category').value).toBe('SENTENCE')
  fireEvent.change(dialog.getByLabelText('Description'), { target: { value: 'Seen twice' } })
  await press('Create IOD', dialog)
  await waitFor(() => expect(toasts).toHaveLength(1))
  expect(toasts[0]).toMatchObject({ status: 'success' })
  expect(calls.find(({ route }) => route === 'POST /iods')?.body).toEqual({
    value: 'numbers fr',
    category: 'SENTENCE',
    description: 'Seen twice',
    source_type: 'TIKTOK',
    source: expect.stringContaining('https://www.tiktok.com/@night.watch/video/'),
  })
  await waitFor(() => expect(card.querySelectorAll('mark')[1]?.textContent).toBe('numbers'))
  expect(toasts).toHaveLength(1)
  // The page refetches only the user's IODs.
  const created = calls.findIndex(({ route }) => route === 'POST /iods')
  await waitFor(() => expect(calls.slice(created).map(({ route }) => route)).toContain('GET /iods'))
  const after = calls.slice(created + 1).filter(({ route }) => route !== 'POST /iods/:id/evidence')
  expect(after.map(({ route }) => route)).toEqual(['GET /iods'])
  const quotes = () => calls.filter(({ route }) => route === 'POST /iods/:id/evidence')
  await waitFor(() => expect(quotes()).toHaveLength(1))
  expect(quotes()[0]?.body).toEqual({
    record: { source: 'tiktok', id: expect.stringMatching(/^[0-9a-f]{24}$/) },
    role: 'record',
    pointer: '/main/description',
    start: 14,
    end: 24,
    exact: 'numbers fr',
  })
})

/** The element with the text of a field. */
const fieldOf = (card: HTMLElement, name: string): HTMLElement => {
  const button = within(card).getByRole('button', { name: `Create IOD from ${name}` })
  return button.closest('[data-iod-value]')?.querySelector<HTMLElement>('[data-iod-path]') as HTMLElement
}

test('excludes fields from the Tab order, links their IODs, and selects words by keyboard', async () => {
  const known = iod('hide the')
  const { path } = await open({ tiktok: [video()], iods: [known] })
  const card = await firstCard()
  const link = await within(card).findByRole('link', { name: 'hide the' })
  expect(within(card).queryByRole('textbox')).toBeNull()
  expect(card.querySelectorAll('[role="link"], [tabindex="0"]:not(button, a)')).toHaveLength(0)
  const button = within(card).getByRole('button', { name: 'Create IOD from Video Description' })
  const selected = () => {
    act(() => void document.dispatchEvent(new Event('selectionchange')))
    return String(window.getSelection())
  }
  fireEvent.keyDown(button, { key: 'ArrowRight' })
  expect(selected()).toBe('They')
  fireEvent.keyDown(link, { key: 'ArrowRight' })
  expect(selected()).toBe('hide')
  const bubble = await screen.findByRole('button', { name: '+ IOD' })
  // Tab leads from the button to the bubble.
  expect(button.compareDocumentPosition(bubble) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  fireEvent.click(link, { detail: 1 })
  expect(path()).toBe('/dashboard/data')
  // A click by the keyboard does not end a selection.
  fireEvent.click(link, { detail: 0 })
  expect(path()).toBe(`/dashboard/iods/${known.id}`)
})

const createFrom = async (name: string, value?: string) => {
  await press(name)
  const dialog = within(await screen.findByRole('dialog'))
  if (value) fireEvent.change(dialog.getByLabelText('Value'), { target: { value } })
  await press('Create IOD', dialog)
}

test('shows a created IOD although its evidence fails', async () => {
  const { toasts } = await open(
    { tiktok: [video()] },
    { 'POST /iods/:id/evidence': [422, { detail: ['exact: does not quote the value of this IOD'] }] },
  )
  await firstCard()
  await createFrom('Create IOD from Video Hashtags: truth', 'lies')
  await waitFor(() => expect(toasts).toHaveLength(2))
  expect(toasts).toMatchObject([
    { status: 'success', description: 'IOD created' },
    { status: 'warning', title: 'The IOD was created, but its quote could not be added' },
  ])
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('adds the quote to an existing IOD and closes the form', async () => {
  const existing = iod('truth', 'HASHTAGS')
  const store = storeOf({ tiktok: [video()] })
  const { calls, toasts, path } = await open(store, {
    'POST /iods': [409, { detail: 'This IOD already exists' }],
    'POST /iods/lookup': ({ body }) => [
      200,
      (body as { values: string[] }).values[0] === 'truth' ? [existing] : [],
    ],
  })
  await firstCard()
  await createFrom('Create IOD from Video Hashtags: truth')
  await waitFor(() => expect(toasts).toHaveLength(1))
  const [openIt, addIt] = toasts[0]?.actions ?? []
  expect([openIt?.text, addIt?.text]).toEqual(['Open IOD', 'Add your quote to the existing IOD'])
  addIt?.onClick()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(toasts).toHaveLength(2))
  expect(toasts[1]).toMatchObject({ status: 'success', title: 'Quote added to the IOD as evidence' })
  const [quote] = calls.filter(({ route }) => route === 'POST /iods/:id/evidence')
  expect(quote?.params.id).toBe(existing.id)
  expect(quote?.body).toMatchObject({ pointer: '/main/hashtags/0', start: 0, end: 5, exact: 'truth' })
  openIt?.onClick()
  await waitFor(() => expect(path()).toBe(`/dashboard/iods/${existing.id}`))
})

test('creates no quote from a number, because the record has no separators', async () => {
  const { calls, toasts } = await open({ tiktok: [video()] })
  const card = await firstCard()
  select(within(card).getByText('34,000'), '34,0')
  await press('+ IOD')
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.change(dialog.getByLabelText('IOD Category'), { target: { value: 'KEYWORDS' } })
  await press('Create IOD', dialog)
  await waitFor(() => expect(toasts).toMatchObject([{ status: 'success' }]))
  expect(calls.filter(({ route }) => route === 'POST /iods/:id/evidence')).toEqual([])
})

test('marks records with a sealed capture, with one request for all displayed records', async () => {
  const records = [video(), video(), video()]
  const capture = (record_id: string | undefined, state: string) => ({
    id: '9'.repeat(24),
    source: 'tiktok',
    record_id,
    url: 'https://www.tiktok.com/@night.watch/video/7',
    captured_at: '2026-11-20T10:00:00.000Z',
    received_at: '2026-11-20T10:00:01.000Z',
    state,
    seq: state === 'sealed' ? 7 : null,
    shared: false,
    bytes: 2_048,
  })
  const { calls } = await open(
    { tiktok: records },
    { 'GET /captures': [200, [capture(records[0]?.id, 'sealed'), capture(records[1]?.id, 'open')]] },
  )
  const card = within(await firstCard())
  expect(await card.findByRole('button', { name: 'Sealed' })).toBeTruthy()
  expect(screen.getAllByRole('button', { name: 'Sealed' })).toHaveLength(1)
  const asked = calls.filter(({ route }) => route === 'GET /captures')
  expect(asked.map(({ search }) => search.getAll('record_id'))).toEqual([records.map(({ id }) => id)])
})

test('requires a value and a category, and stays open if the server rejects the IOD', async () => {
  const { toasts } = await open(
    { tiktok: [video()] },
    { 'POST /iods': () => [422, { detail: ['value: must not be empty', 'source: no'] }] },
  )
  await firstCard()
  await press('Create IOD from Video Hashtags: truth')
  const dialog = within(await screen.findByRole('dialog'))
  const submit = () => dialog.getByRole<HTMLButtonElement>('button', { name: 'Create IOD' })
  expect(dialog.getByLabelText<HTMLSelectElement>('IOD Category').value).toBe('HASHTAGS')
  fireEvent.change(dialog.getByLabelText('IOD Category'), { target: { value: '' } })
  expect(submit().disabled).toBe(true)
  fireEvent.change(dialog.getByLabelText('IOD Category'), { target: { value: 'KEYWORDS' } })
  fireEvent.change(dialog.getByLabelText('Value'), { target: { value: ' ' } })
  expect(submit().disabled).toBe(true)
  fireEvent.change(dialog.getByLabelText('Value'), { target: { value: 'x' } })
  fireEvent.click(submit())
  await waitFor(() => expect(toasts).toHaveLength(1))
  expect(toasts[0]).toEqual({
    title: 'Error',
    description: 'value: must not be empty, source: no',
    status: 'error',
    duration: 5000,
  })
  expect(screen.getByRole('dialog')).toBeTruthy()
})

const deleteFirst = async (answer = 'Delete') => {
  await press('More actions', within(await firstCard()))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }))
  const dialog = await screen.findByRole('dialog')
  expect(dialog.textContent).toContain('Are you sure you want to delete this data?')
  await press(answer, within(dialog))
}

test('keeps a record whose deletion the user cancels', async () => {
  const { calls } = await open(
    { tiktok: [video(), video()] },
    { 'DELETE /:source/data/:id': ({ params }) => [200, { id: params.id }] },
  )
  const deletions = () => calls.filter(({ route }) => route.startsWith('DELETE'))
  await deleteFirst('Cancel')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getAllByRole('article')).toHaveLength(2)
  await deleteFirst()
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(1))
  expect(deletions()).toHaveLength(1)
})

test('removes a deleted record from the list and the count', async () => {
  const records = [video(), video()]
  const { calls, toasts } = await open(
    { tiktok: records },
    {
      'DELETE /:source/data/:id': () => {
        const gone = records.shift()
        return [200, { id: gone?.id }]
      },
    },
  )
  await deleteFirst()
  await waitFor(() => expect(screen.getByRole('tab', { name: /Short/ }).textContent).toBe('Short videos1'))
  expect(screen.getAllByRole('article')).toHaveLength(1)
  // The other sources and the IODs are unchanged.
  const after = () =>
    calls
      .slice(calls.findIndex(({ route }) => route.startsWith('DELETE')) + 1)
      .filter(({ route }) => route === 'GET /:source/data' || route === 'GET /iods')
  await waitFor(() => expect(after().map(({ params }) => params.source)).toEqual(['tiktok']))
  expect(toasts).toEqual([
    { title: 'Deleted', description: 'Data deleted successfully', status: 'success', duration: 3000 },
  ])
})

test('shows toasts for a rejected deletion and a failed reload', async () => {
  const record = video()
  let fails = false
  const store = storeOf({ tiktok: [record] })
  const { toasts } = await open(store, {
    'DELETE /:source/data/:id': () => (fails ? [200, { id: record.id }] : [503, { detail: 'x' }]),
    ...listOr(store, source => (fails && source === 'tiktok' ? [503, { detail: 'x' }] : undefined)),
  })
  await deleteFirst()
  await waitFor(() => expect(toasts.map(toast => toast.description)).toEqual(['Failed to delete data']))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  fails = true
  await deleteFirst()
  await waitFor(() =>
    expect(toasts.map(toast => toast.description).slice(1)).toEqual([
      'Data deleted successfully',
      'Failed to refresh data',
    ]),
  )
})

test('shows an error with Retry on a failed tab, while the others work', async () => {
  let fails = true
  const store = storeOf({ tiktok: [video()], telegram: [post()] })
  const { toasts } = await open(
    store,
    listOr(store, source => (fails && source === 'telegram' ? [403, { detail: 'No' }] : undefined)),
    '/dashboard/data?source=telegram',
  )
  expect((await screen.findByRole('alert')).textContent).toContain('Failed to fetch data')
  const failure = { title: 'Error', description: 'Failed to fetch data', status: 'error', duration: 5000 }
  await waitFor(() => expect(toasts).toEqual([failure]))
  fireEvent.click(screen.getByRole('tab', { name: /Short/ }))
  await firstCard()
  fireEvent.click(screen.getByRole('tab', { name: /Messaging/ }))
  fails = false
  await press('Retry')
  expect(await screen.findByText('Attachments')).toBeTruthy()
})

test('shows one toast and one callout if all lists fail', async () => {
  const answers = new Map<string, () => void>()
  const { toasts } = await open(
    {},
    {
      'GET /:source/data': ({ params }) =>
        new Promise<Answer>(resolve =>
          answers.set(params.source ?? '', () => resolve([403, { detail: 'No' }])),
        ),
      'GET /iods': [403, { detail: 'No' }],
    },
  )
  for (const source of ['tiktok', 'blog', 'post', 'telegram']) {
    await waitFor(() => expect(answers.has(source)).toBe(true))
    expect(toasts).toEqual([])
    await act(async () => answers.get(source)?.())
  }
  await waitFor(() => expect(toasts).toMatchObject([{ description: 'Failed to fetch data' }]))
  await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(1))
  expect(screen.queryByText(/can’t be highlighted/)).toBeNull()
  fireEvent.click(screen.getByRole('tab', { name: /Blogs/ }))
  expect(await screen.findAllByRole('alert')).toHaveLength(1)
  expect(toasts).toHaveLength(1)
})

test('shows the records on Refresh after all lists failed', async () => {
  const store = storeOf({ tiktok: [video()] })
  let fails = true
  const { toasts } = await open(
    store,
    listOr(store, () => (fails ? [403, { detail: 'No' }] : undefined)),
  )
  await waitFor(() => expect(toasts).toMatchObject([{ description: 'Failed to fetch data' }]))
  expect(await screen.findByRole('alert')).toBeTruthy()
  fails = false
  await press('Refresh')
  await firstCard()
  expect(screen.queryByRole('alert')).toBeNull()
  await waitFor(() =>
    expect(screen.getAllByRole('tab').map(tab => tab.textContent)).toEqual([
      'Short videos1',
      'Messaging channels0',
      'Blogs0',
    ]),
  )
  expect(toasts).toHaveLength(1)
})

test('reports a refresh while offline, and keeps the records', async () => {
  const store = storeOf({ tiktok: [video()] })
  let isDown = false
  const { toasts } = await open(
    store,
    listOr(store, () => (isDown ? [503, {}] : undefined)),
  )
  await firstCard()
  isDown = true
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  onTestFinished(() => void vi.restoreAllMocks())
  await press('Refresh')
  await waitFor(() =>
    expect(toasts).toMatchObject([
      { title: 'You are offline', description: 'Failed to refresh data', status: 'error' },
    ]),
  )
  expect(within(await firstCard()).getByText('They hide the numbers from us')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('folds empty fields, avoids duplicate words in names, and shows one button on an empty tab', async () => {
  const { path } = await open({ tiktok: [video()] })
  const card = within(await firstCard())
  expect(card.queryByText('Author ID')).toBeNull()
  const fold = card.getByRole('button', { name: '5 empty fields' })
  expect(fold.getAttribute('aria-expanded')).toBe('false')
  fireEvent.click(fold)
  expect(card.getByText('Author ID')).toBeTruthy()
  expect(card.getAllByText('—')).toHaveLength(5)
  fireEvent.click(fold)
  expect(card.queryByText('—')).toBeNull()
  expect(card.getByRole('button', { name: 'Create IOD from Video ID' })).toBeTruthy()
  expect(card.getByRole('button', { name: 'Create IOD from Author Unique ID' })).toBeTruthy()
  fireEvent.click(screen.getByRole('tab', { name: /Blogs/ }))
  await screen.findByText('No data collected yet')
  const [button, ...others] = within(screen.getByRole('tabpanel')).getAllByRole('button')
  expect(others).toEqual([])
  fireEvent.click(button as HTMLElement)
  expect(path()).toBe('/dashboard/overview')
})

test('counts the hits of a search per tab, highlights them, and stores the term in the URL', async () => {
  const records = { tiktok: [video(), video({ description: 'The LAKE heats the lake' })], blog: [article()] }
  const { search, calls } = await open(
    { ...records, iods: [iod('heats the')] },
    {
      'GET /:source/data': ({ params, search: query }) => {
        const all = records[params.source as 'tiktok'] ?? []
        const q = query.get('q')
        const found = all.filter(record => !q || JSON.stringify(record).toLowerCase().includes(q))
        return [200, found, { 'X-Total-Count': String(found.length) }]
      },
    },
    '/dashboard/data?source=blog',
  )
  await firstCard()
  const field = screen.getByRole('searchbox', { name: 'Search your data...' })
  fireEvent.change(field, { target: { value: ' lake ' } })
  expect(await screen.findByText('Nothing found')).toBeTruthy()
  expect(await screen.findByText('1 record contains this text')).toBeTruthy()
  expect(search()).toBe('?source=blog&q=lake')
  expect(screen.getAllByRole('tab').map(tab => tab.textContent)).toEqual([
    'Short videos1',
    'Messaging channels0',
    'Blogs0',
  ])
  fireEvent.click(screen.getByRole('tab', { name: /Short/ }))
  const card = await firstCard()
  const marks = () => [...card.querySelectorAll('mark')].map(mark => mark.textContent)
  await waitFor(() => expect(marks()).toEqual(['LAKE', 'heats the', 'lake']))
  expect(search()).toBe('?q=lake')
  expect(calls.filter(isTiktokList).at(-1)?.search.get('q')).toBe('lake')
  fireEvent.click(screen.getByRole('button', { name: 'Clear search' }))
  await waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(2))
  expect(search()).toBe('')
})

test('shows a long text in full if its first hit would be cut off', async () => {
  // happy-dom has no layout: each bounded text is too high for its frame.
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(500)
  onTestFinished(() => void vi.restoreAllMocks())
  const description = `${'A line of a long story.\n'.repeat(60)}The LAKE is heated by mirrors.`
  await open({ tiktok: [video({ description })] })
  const button = () => screen.queryByRole('button', { name: 'Show all of Video Description' })
  const field = screen.getByRole('searchbox', { name: 'Search your data...' })
  const searchFor = async (value: string, hits: number) => {
    fireEvent.change(field, { target: { value } })
    await waitFor(() => expect(document.querySelectorAll('mark')).toHaveLength(hits))
  }
  await waitFor(() => expect(button()).toBeTruthy())
  await searchFor('lake', 1)
  expect(document.querySelector('mark')?.textContent).toBe('LAKE')
  expect(button()).toBeNull()
  await searchFor('long', 60)
  expect(button()).toBeTruthy()
})

test('highlights a hit in the URL of an image hash', async () => {
  const record = { ...article(), imageHashes: { 'https://blog.example.org/lake.jpg': 'ff' } }
  await open({ blog: [record] }, {}, '/dashboard/data?source=blog&q=lake')
  const hashes = await screen.findByRole('region', { name: 'Image hashes' })
  expect([...hashes.querySelectorAll('mark')].map(mark => mark.textContent)).toEqual(['lake'])
})

test('finds hits at the right position in a text whose folded form has another length', () => {
  expect(findFolded('Cafe\u0301 İstanbul', 'CAFÉ')).toEqual([[0, 5]])
  expect(findFolded('aaa', 'aa')).toEqual([[0, 2]])
  expect(findFolded('text', '')).toEqual([])
  const pieces = [
    { text: 'the la', start: 0, iods: [] },
    { text: 'ke is', start: 6, iods: [iod('ke is')] },
  ]
  expect(withHits(pieces, [[4, 8]]).map(({ text, isHit }) => [text, isHit])).toEqual([
    ['the ', false],
    ['la', true],
    ['ke', true],
    [' is', false],
  ])
})

test('reads one page of a large collection and renders few cards', async () => {
  const { calls } = await open({ tiktok: Array.from({ length: 10_000 }, () => video()) })
  await firstCard()
  expect(screen.getByRole('tab', { name: /Short/ }).textContent).toBe('Short videos10,000')
  expect(screen.getAllByRole('article').length).toBeLessThan(8)
  expect(calls.filter(isTiktokList)).toHaveLength(1)
})

/** Estimated height of an unmeasured card, plus the gap. */
const ROW = 776
const scrollTo = (top: number) =>
  act(() => {
    window.scrollTo(0, top)
    window.dispatchEvent(new Event('scroll'))
  })
/** Scrolls to the card at a position of the list, and waits for its contents. */
const cardAt = async (position: number) => {
  let card: Element | null = null
  await waitFor(() => {
    const places = [...document.querySelectorAll('article')].map(each =>
      Number(each.getAttribute('aria-posinset')),
    )
    if (!places.includes(position)) scrollTo((Math.min(position, Math.max(1, ...places)) - 1) * ROW)
    card = document.querySelector(`article[aria-posinset="${position}"]:not([aria-busy])`)
    expect(card).toBeTruthy()
  })
  return within(card as unknown as HTMLElement)
}

test('drops contents far from the viewport, and refetches them on the way back', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const tiktok = Array.from({ length: 60 }, (_, n) => video({ description: `video number ${n + 1}` }))
  const store = storeOf({ tiktok })
  let fails = false
  const { calls } = await open(
    store,
    listOr(store, () => (fails ? [503, { detail: 'x' }] : undefined)),
  )
  const cursors = [null, tiktok[19]?.id, tiktok[39]?.id]
  /** Number of requests for each page. */
  const reads = () => {
    const lists = calls.filter(isTiktokList)
    return cursors.map(cursor => lists.filter(({ search }) => search.get('cursor') === cursor).length)
  }
  await cardAt(60)
  expect(await (await cardAt(58)).findByText('video number 58')).toBeTruthy()
  expect(reads()).toEqual([1, 1, 1])

  act(() => void vi.advanceTimersByTime(15_000))
  fails = true
  // Simulates a deletion by another client.
  tiktok.splice(29, 1)
  scrollTo(29 * ROW)
  await waitFor(() => expect(screen.getAllByRole('alert')[0]?.textContent).toContain('Failed to fetch data'))
  fails = false
  fireEvent.click(screen.getAllByRole('button', { name: 'Retry' })[0] as HTMLElement)
  expect(await (await cardAt(30)).findByText('video number 31')).toBeTruthy()
  expect(screen.getByRole('tab', { name: /Short/ }).textContent).toBe('Short videos59')
  expect(await (await cardAt(1)).findByText('video number 1')).toBeTruthy()
  // Page 2: the first request, a failed one with its retry, then a successful one.
  expect(reads()).toEqual([1, 4, 1])
})

test('refetches the visible records on a refresh: updates changed ones and removes deleted ones', async () => {
  const tiktok = Array.from({ length: 30 }, (_, n) => video({ description: `video number ${n + 1}` }))
  await open({ tiktok })
  await (await cardAt(26)).findByText('video number 26')
  tiktok.splice(24, 2, { ...tiktok[24]!, main: { ...tiktok[24]!.main, description: 'a newer version' } })
  await press('Refresh')
  expect(await (await cardAt(25)).findByText('a newer version')).toBeTruthy()
  expect(await (await cardAt(26)).findByText('video number 27')).toBeTruthy()
  expect(screen.getByRole('tab', { name: /Short/ }).textContent).toBe('Short videos29')
})

test('keeps records that a refresh moves out of the first page', async () => {
  const tiktok = Array.from({ length: 30 }, (_, n) => video({ description: `video number ${n + 1}` }))
  await open({ tiktok })
  await cardAt(20)
  tiktok.unshift(...Array.from({ length: 3 }, () => video({ description: 'quite new' })))
  // Simulates a busy browser, which renders between two notifications of the cache. Each notification is a task.
  const { setTimeout } = globalThis
  let last = 0
  const slow = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((task: () => void, ms = 0) => {
    last = Math.max(last + 10, performance.now())
    return setTimeout(task, ms === 0 ? last - performance.now() : ms)
  }) as typeof setTimeout)
  onTestFinished(() => slow.mockRestore())
  await press('Refresh')
  await waitFor(() => expect(screen.getByRole('tab', { name: /Short/ }).textContent).toBe('Short videos33'))
  expect(await (await cardAt(23)).findByText('video number 20')).toBeTruthy()
  expect(await (await cardAt(33)).findByText('video number 30')).toBeTruthy()
})

test('ignores a next page that arrives after a refresh', async () => {
  const tiktok = Array.from({ length: 30 }, (_, n) => video({ description: `video number ${n + 1}` }))
  const last = tiktok[19]?.id
  const held: (() => void)[] = []
  const read = api(storeOf({ tiktok }))['GET /:source/data']
  await open(
    { tiktok },
    {
      'GET /:source/data': async call => {
        const answer = read(call) as Answer
        if (call.search.get('cursor') === last && held.length === 0)
          await new Promise<void>(resolve => held.push(resolve))
        return answer
      },
    },
  )
  await cardAt(20)
  await waitFor(() => expect(held).toHaveLength(1))
  tiktok.unshift(...Array.from({ length: 3 }, () => video({ description: 'quite new' })))
  await press('Refresh')
  await waitFor(() => expect(screen.getByRole('tab', { name: /Short/ }).textContent).toBe('Short videos33'))
  held[0]?.()
  expect(await (await cardAt(23)).findByText('video number 20')).toBeTruthy()
  expect(await (await cardAt(33)).findByText('video number 30')).toBeTruthy()
})

test('shares a record anonymously, and stops sharing it', async () => {
  const store = storeOf({ tiktok: [video()] })
  const { calls, toasts } = await open(store, {
    'POST /:source/data/share': ({ body }) => {
      const { ids, shared, as } = body as { ids: string[]; shared: boolean; as?: string }
      return [200, { ids, shared: shared ? as : null }]
    },
  })
  const card = within(await firstCard())
  await press('More actions', card)
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Share anonymously' }))
  await card.findByText('Shared anonymously')
  await press('More actions', card)
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Stop sharing' }))
  await waitFor(() => expect(card.queryByText('Shared anonymously')).toBeNull())
  const id = store.tiktok[0]?.id
  expect(calls.filter(({ route }) => route.endsWith('/share')).map(({ body }) => body)).toEqual([
    { ids: [id], shared: true, as: 'anonymous' },
    { ids: [id], shared: false },
  ])
  expect(toasts.map(({ title }) => title)).toEqual(['Shared', 'Sharing stopped'])
})

test('keeps a record unshared if sharing fails, and links its menu to Origins', async () => {
  const store = storeOf({ tiktok: [video()] })
  const { toasts, path, search } = await open(store, {
    'POST /:source/data/share': [503, { detail: 'Not now' }],
  })
  const card = within(await firstCard())
  await press('More actions', card)
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Share with my username' }))
  await waitFor(() => expect(toasts.map(({ description }) => description)).toEqual(['Not now']))
  expect(card.queryByText('Shared with username')).toBeNull()
  await press('More actions', card)
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Find first appearance' }))
  await waitFor(() => expect(path()).toBe('/dashboard/origins'))
  expect(search()).toBe(`?record=${store.tiktok[0]?.id}`)
})

test('shares the selected records with one request', async () => {
  const store = storeOf({ tiktok: [video(), video(), video()] })
  const { calls } = await open(store, {
    'POST /:source/data/share': ({ body }) => [
      200,
      { ids: (body as { ids: string[] }).ids, shared: 'username' },
    ],
  })
  await firstCard()
  await press('Select to share')
  const share = await screen.findByRole<HTMLButtonElement>('button', { name: 'Share with my username' })
  expect(share.disabled).toBe(true)
  const boxes = screen.getAllByRole('checkbox', { name: /^Select / })
  for (const box of boxes.slice(0, 2)) fireEvent.click(box)
  await screen.findByText('2 selected')
  fireEvent.click(share)
  await waitFor(() => expect(screen.getAllByText('Shared with username')).toHaveLength(2))
  expect(screen.queryByText('2 selected')).toBeNull()
  expect(calls.find(({ route }) => route.endsWith('/share'))?.body).toEqual({
    ids: store.tiktok.slice(0, 2).map(({ id }) => id),
    shared: true,
    as: 'username',
  })
})

test('shows the site that a page names as its original, and when the post was seen removed', async () => {
  const clone = article()
  clone.metadata.og_url = 'https://paper.example.com/1'
  clone.context = { removed: { first_seen: '2026-11-21T10:00:00Z', last_seen: '2026-11-21T10:00:00Z' } }
  await open({ blog: [clone] }, {}, '/dashboard/data?source=blog')
  const card = await firstCard()
  expect(card.textContent).toContain('The page names paper.example.com as its original')
  expect(card.textContent).toContain('First seen removed on Nov 21, 2026')
})
