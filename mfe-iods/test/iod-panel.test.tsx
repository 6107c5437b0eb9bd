import { type Iod, SOURCES } from '@iodine/contracts'
import { type Call, openSection, type Routes, user } from '@iodine/mfe-kit/testing'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { parcel } from '../src/parcel'
import { iod, vote } from './fixtures'

// happy-dom has no layout: the table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1_000 })

const LIST = '/dashboard/iods'
/** Requests of the panel once an IOD has stayed open. */
const PARTS = [
  'GET /iods/:id/comments',
  'GET /campaigns',
  'GET /:source/data',
  'GET /narratives/data',
  'GET /graph/mentions',
]
const missingParts = (calls: readonly Call[]) =>
  PARTS.filter(route => calls.every(call => call.route !== route))

const api = (iods: Iod[]): Routes => ({
  'GET /iods': ({ search }) => {
    const found = iods.filter(({ source }) => !search.has('source') || source === search.get('source'))
    return [200, found, { 'X-Total-Count': String(found.length) }]
  },
  'GET /iods/facets': () => [200, { total: iods.length, categories: {}, source_types: {} }],
  'GET /iods/:id/comments': [200, []],
  'POST /iods/consensus': [200, {}],
  'POST /iods/evidence/counts': [200, {}],
  'GET /iods/:id': ({ params }) => {
    const found = iods.find(({ id }) => id === params.id)
    return found ? [200, found] : [404, { detail: 'Not found' }]
  },
  'GET /campaigns': () => [200, [], { 'X-Total-Count': '0' }],
  'GET /:source/data': () => [200, [], { 'X-Total-Count': '0' }],
  'GET /narratives/data': () => [200, [], { 'X-Total-Count': '0' }],
  'GET /graph/mentions': () => [200, [], { 'X-Total-Count': '0' }],
})
const open = (iods: Iod[], path = '', routes: Routes = {}) =>
  openSection(parcel, LIST, `${LIST}${path}`, { ...api(iods), ...routes })

const rowOf = async (value: string) =>
  within((await screen.findByText(value, { selector: 'td a' })).closest('tr') as HTMLTableRowElement)
const panelOf = async (value: string) => {
  const panel = await screen.findByRole('dialog', { name: 'IOD' })
  await within(panel).findByText(value)
  return within(panel)
}
const part = async (name: string) => within(await screen.findByRole('region', { name }))
const click = (element: HTMLElement) => fireEvent.click(element)
const openRow = async (value: string) => {
  click((await rowOf(value)).getByRole('link', { name: value }))
  return panelOf(value)
}
const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog', { name: 'IOD' })).toBeNull())

const SOURCE = 'https://b.example.org/1?a=b'

test('opens the panel of an IOD at its own URL; Escape and Back close it and restore the focus', async () => {
  const target = iod('alpha', {
    description: 'First',
    votes: [vote('ann', 'POSITIVE'), vote('bob', 'NEGATIVE')],
  })
  const { path, search, calls, navigate } = await open([target, iod('beta')], '?q=of&sort=votes')
  const asked = () =>
    calls.filter(({ route }) => route.startsWith('GET /iods') && !route.endsWith('/comments')).length
  const row = await rowOf('alpha')
  await waitFor(() => expect(asked()).toBeGreaterThan(2))
  const before = asked()

  const panel = await openRow('alpha')
  expect(path() + search()).toBe(`${LIST}/${target.id}?q=of&sort=votes`)
  expect(document.activeElement).toBe(screen.getByRole('dialog', { name: 'IOD' }))
  expect(document.title).toBe('alpha')
  expect(panel.getByRole('img', { name: '1 positive, 1 negative' })).toBeTruthy()
  const voters = within(panel.getByRole('region', { name: 'Votes' })).getAllByRole('listitem')
  expect(voters.map(voter => voter.textContent)).toEqual([
    expect.stringMatching(/^Negative.*bob/),
    expect.stringMatching(/^Positive.*ann/),
  ])
  await waitFor(() => expect(missingParts(calls)).toEqual([]))
  expect(asked()).toBe(before)

  fireEvent.keyDown(document.body, { key: 'Escape' })
  await isClosed()
  expect(path() + search()).toBe(`${LIST}?q=of&sort=votes`)
  expect(document.activeElement).toBe(row.getByRole('link', { name: 'alpha' }).closest('tr'))
  expect(document.title).toBe('Indicators of Disinformation')

  await openRow('beta')
  await openRow('alpha')
  act(() => navigate(-1))
  await isClosed()
  expect(path()).toBe(LIST)
  expect(document.activeElement).toBe(row.getByRole('link', { name: 'alpha' }).closest('tr'))
})

test('reads the IOD of a direct link, and returns to the list on Close', async () => {
  const hidden = iod('hidden', { source: SOURCE })
  const { path, search, calls } = await open([iod('alpha')], `/${hidden.id}?q=of`, {
    'GET /iods/:id': () => [200, hidden],
  })
  const panel = await panelOf('hidden')
  expect(panel.getByRole('link', { name: SOURCE }).getAttribute('rel')).toBe('noopener noreferrer')
  expect(calls.filter(({ route }) => route === 'GET /iods/:id')).toHaveLength(1)
  await rowOf('alpha')
  click(panel.getByRole('button', { name: 'Close' }))
  await isClosed()
  expect(path() + search()).toBe(`${LIST}?q=of`)
})

test.each([404, 422])(
  'shows an empty panel with a link to the same list if the URL has no IOD (%i)',
  async status => {
    const { path, search, toasts } = await open([iod('alpha')], '/nothing?q=of', {
      'GET /iods/:id': () => [status, { detail: 'Not found' }],
    })
    expect(await screen.findByText('This IOD does not exist')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Add to campaign' })).toBeNull()
    click(screen.getByRole('button', { name: 'Back to the list' }))
    await isClosed()
    expect(path() + search()).toBe(`${LIST}?q=of`)
    expect(toasts).toEqual([])
  },
)

test('shows a failure in its section, and retries only this section', async () => {
  const target = iod('alpha', { source: SOURCE })
  const others = [iod('beta', { source: SOURCE, category: 'URL' }), target]
  let isDown = true
  const { calls } = await open(others, `/${target.id}`, {
    'GET /campaigns': ({ search }) =>
      isDown
        ? [403, { detail: 'Not now' }]
        : [
            200,
            [{ id: 'c'.repeat(24), name: 'Lakes', iod_count: 3, iod_id: search.get('iod_id') }],
            { 'X-Total-Count': '1' },
          ],
  })
  const campaigns = await part('Campaigns')
  expect((await campaigns.findByRole('alert')).textContent).toContain('Failed to load campaignsNot now')
  const same = await part('Other IODs of this source')
  expect((await same.findByRole('link', { name: 'beta' })).getAttribute('href')).toBe(
    `${LIST}/${others[0]?.id}`,
  )
  expect(same.getByRole('heading').textContent).toBe('Other IODs of this source (1)')
  for (const name of ['In my data', 'In my narratives', 'In my graph'])
    expect(await (await part(name)).findByText('None')).toBeTruthy()
  isDown = false
  const before = calls.length
  click(campaigns.getByRole('button', { name: 'Retry' }))
  const link = await campaigns.findByRole('link', { name: 'Lakes' })
  expect(link.getAttribute('href')).toBe(`/dashboard/campaigns/${'c'.repeat(24)}`)
  expect(calls.slice(before).map(({ route, search }) => [route, search.get('iod_id')])).toEqual([
    ['GET /campaigns', target.id],
  ])
})

test('shows the occurrences of the value: counts, first hits, and links to them', async () => {
  const target = iod('#Mirrors', { category: 'HASHTAGS' })
  const video = { id: 'd'.repeat(24), main: { video_id: '1', description: 'See the MIRRORS heat lakes' } }
  const collector_metadata = { fetch_timestamp: '2026-01-01T00:00:00.000Z', source: 'mirrors elsewhere' }
  const text = 'They say mirrors heat lakes.'
  const triplet = { id: 1, subject: '#Mirrors', verb: 'heat', object: 'lakes' }
  const mention = { ...triplet, times: 1, sentence: text, place: { start: 0, end: 28 } }
  const narrative = 'e'.repeat(24)
  const { calls } = await open([target], `/${target.id}`, {
    'GET /:source/data': ({ params }) =>
      params.source === 'tiktok'
        ? [200, [{ collector_metadata, ...video }], { 'X-Total-Count': '12' }]
        : [200, [], { 'X-Total-Count': '0' }],
    'GET /narratives/data': () => [
      200,
      [{ id: narrative, text, src: null, triplets: [] }],
      { 'X-Total-Count': '4' },
    ],
    'GET /graph/mentions': () => [
      200,
      [{ id: narrative, src: null, created_at: '', triplets: [mention], omitted: 0 }],
      { 'X-Total-Count': '2' },
    ],
  })
  const data = await part('In my data')
  const videos = await data.findByRole('link', { name: 'Short videos (12)' })
  expect(videos.getAttribute('href')).toBe('/dashboard/data?source=tiktok&q=mirrors')
  expect(data.getByText('MIRRORS').tagName).toBe('MARK')
  expect(data.queryByRole('link', { name: /Blogs/ })).toBeNull()

  const narratives = await part('In my narratives')
  expect((await narratives.findByRole('link', { name: text })).getAttribute('href')).toBe(
    `/dashboard/narratives/${narrative}?start=9&end=16`,
  )
  expect(narratives.getByRole('heading').textContent).toBe('In my narratives (4)')

  const graph = await part('In my graph')
  expect(await graph.findByText('#Mirrors heat lakes')).toBeTruthy()
  expect(graph.getByRole('link', { name: text }).getAttribute('href')).toBe(
    `/dashboard/narratives/${narrative}?start=0&end=28`,
  )
  expect(graph.getByRole('link', { name: 'Show in the graph' }).getAttribute('href')).toBe(
    '/dashboard/graph?node=entity%3A%23mirrors',
  )
  const asked = (route: string, name: string) =>
    new Set(calls.filter(call => call.route === route).map(call => call.search.get(name)))
  expect(asked('GET /:source/data', 'q')).toEqual(new Set(['mirrors']))
  expect(asked('GET /graph/mentions', 'node')).toEqual(new Set(['entity:#mirrors']))
})

test('searches a value of 10,000 characters by its first ones, does not look up an entity, and cuts it', async () => {
  const value = `${'a'.repeat(199)}😀${'b'.repeat(9_799)}`
  const target = iod(value)
  const { calls } = await open([target], `/${target.id}`)
  const panel = await panelOf(value)
  await (await part('In my narratives')).findByText('None')
  expect(calls.find(({ route }) => route === 'GET /narratives/data')?.search.get('q')).toBe('a'.repeat(199))
  expect(calls.filter(({ route }) => route === 'GET /graph/mentions')).toEqual([])
  expect(panel.queryByRole('region', { name: 'In my graph' })).toBeNull()
  const button = panel.getByRole('button', { name: 'Show all of the value' })
  click(button)
  expect(button.getAttribute('aria-expanded')).toBe('true')
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Waits for a state while timers are paused. */
const until = async (isReached: () => boolean | undefined) => {
  while (!isReached()) await act(() => new Promise(resolve => setImmediate(resolve)))
}

test('requests occurrences only for the row that stays open for 200 ms', async () => {
  const iods = ['alpha', 'beta', 'gamma'].map(value => iod(value))
  const { calls } = await open(iods)
  await rowOf('gamma')
  await openRow('alpha')
  // The row has stayed open, and none of its timers is pending.
  await waitFor(() => expect(missingParts(calls)).toEqual([]))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const sent = vi.spyOn(globalThis, 'fetch')
  const asked = () => sent.mock.calls.map(([url]) => new URL(String(url)).pathname)
  for (const value of ['beta', 'gamma']) {
    click(screen.getByRole('link', { name: value }))
    await until(() => screen.getByRole('dialog').textContent?.includes(value))
    await act(() => vi.advanceTimersByTimeAsync(199))
    expect(asked()).toEqual([])
  }
  await act(() => vi.advanceTimersByTimeAsync(1))
  vi.useRealTimers()
  await waitFor(() => expect(asked()).toHaveLength(PARTS.length - 1 + SOURCES.length))
  const urls = sent.mock.calls.map(([url]) => new URL(String(url)))
  expect(urls[0]?.pathname).toContain(`/iods/${iods[2]?.id}/comments`)
  expect(urls.find(({ searchParams }) => searchParams.has('iod_id'))?.searchParams.get('iod_id')).toBe(
    iods[2]?.id,
  )
})

test('keeps J, K and vote keys working beside the panel, which follows the rows', async () => {
  const iods = ['alpha', 'beta', 'gamma'].map(value => iod(value))
  const votes: unknown[] = []
  const { path } = await open(iods, '', {
    'POST /iods/:id/vote': ({ params, body }) => {
      votes.push([params.id, body])
      const voted = iods.find(({ id }) => id === params.id) as Iod
      return [200, { ...voted, votes: [vote(user.username, 'POSITIVE')] }]
    },
  })
  const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key })
  const row = await rowOf('alpha')
  press('j')
  press('Enter')
  await panelOf('alpha')
  expect(document.activeElement).toBe(screen.getByRole('dialog', { name: 'IOD' }))
  press('u')
  await waitFor(() => expect(row.getByText('+1')).toBeTruthy())
  press('j')
  await panelOf('beta')
  press('j')
  await panelOf('gamma')
  press('k')
  await panelOf('beta')
  expect(document.activeElement).toBe((await rowOf('beta')).getByRole('link', { name: 'beta' }).closest('tr'))
  press('Enter')
  expect(document.activeElement).toBe(screen.getByRole('dialog', { name: 'IOD' }))
  expect(votes).toEqual([[iods[0]?.id, { vote_type: 'POSITIVE' }]])
  press('Escape')
  await isClosed()
  expect(path()).toBe(LIST)
})

test('votes by key on the IOD of the panel if the list lacks it', async () => {
  const hidden = iod('hidden')
  const votes: unknown[] = []
  await open([iod('alpha')], `/${hidden.id}`, {
    'GET /iods/:id': () => [200, hidden],
    'POST /iods/:id/vote': ({ params, body }) => {
      votes.push([params.id, body])
      return [200, { ...hidden, votes: [vote(user.username, 'NEGATIVE')] }]
    },
  })
  await rowOf('alpha')
  const panel = await panelOf('hidden')
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'd' })
  await waitFor(() => expect(votes).toEqual([[hidden.id, { vote_type: 'NEGATIVE' }]]))
  const voters = within(panel.getByRole('region', { name: 'Votes' }))
  expect((await voters.findByRole('listitem')).textContent).toMatch(new RegExp(`^Negative.*${user.username}`))
})

test('shows a vote of the panel in the row', async () => {
  const target = iod('alpha')
  const { toasts } = await open([target], '', {
    'POST /iods/:id/vote': () => [200, { ...target, votes: [vote(user.username, 'NEGATIVE')] }],
  })
  const row = await rowOf('alpha')
  const panel = await openRow('alpha')
  click(panel.getByRole('button', { name: 'Downvote' }))
  await waitFor(() => expect(toasts).toEqual([{ title: 'Vote enregistré', status: 'success', lang: 'fr' }]))
  for (const place of [row, panel]) {
    expect(place.getByRole('img', { name: '0 positive, 1 negative' })).toBeTruthy()
    expect(place.getByRole<HTMLButtonElement>('button', { name: 'Upvote' }).disabled).toBe(true)
  }
  expect(panel.getByRole('heading', { name: 'Votes (1)' })).toBeTruthy()
})

test('shows the votes that a link selects, and all on demand', async () => {
  const votes = [vote('bo', 'NEGATIVE'), ...Array.from({ length: 12 }, (_, n) => vote(`p${n}`, 'POSITIVE'))]
  const hidden = iod('hidden', { votes })
  const { path } = await open([iod('alpha')], `/${hidden.id}?votes=POSITIVE`, {
    'GET /iods/:id': () => [200, hidden],
  })
  const panel = within((await panelOf('hidden')).getByRole('region', { name: 'Votes' }))
  expect(panel.getByText('Only positive votes (12).')).toBeTruthy()
  expect(panel.getAllByRole('listitem')).toHaveLength(12)
  click(panel.getByRole('button', { name: 'Show all' }))
  expect(await panel.findByRole('button', { name: 'Show all 13 votes' })).toBeTruthy()
  expect(path()).not.toContain('votes=')
})

test('opens an existing IOD from the toast of the rejection', async () => {
  const existing = iod('delta', { category: 'TITLE' })
  const { toasts, path } = await open([iod('alpha')], '', {
    'POST /iods': () => [409, { detail: 'This IOD already exists' }],
    'POST /iods/lookup': () => [200, [iod('Delta', { category: 'URL' }), existing]],
    'GET /iods/:id': () => [200, existing],
  })
  await rowOf('alpha')
  click(screen.getByRole('button', { name: 'Create IOD' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create New IOD' }))
  fireEvent.change(dialog.getByLabelText(/Value/), { target: { value: ' DELTA ' } })
  fireEvent.change(dialog.getByLabelText(/Type/), { target: { value: 'TITLE' } })
  fireEvent.change(dialog.getByLabelText(/Description/), { target: { value: 'Again' } })
  click(dialog.getByRole('button', { name: 'Create IOD' }))
  await waitFor(() => expect(toasts[0]?.description).toBe('This IOD already exists'))
  expect([toasts[0]?.title, toasts[0]?.action?.text]).toEqual(['Erreur', 'Open IOD'])
  act(() => toasts[0]?.action?.onClick())
  await panelOf('delta')
  expect(path()).toBe(`${LIST}/${existing.id}`)
  expect(screen.queryByRole('dialog', { name: 'Create New IOD' })).toBeNull()
})

test('filters the list by links of rows and panel, and links to people', async () => {
  const target = iod('alpha', { category: 'URL', source_type: 'BLOG', source: SOURCE })
  const { path, search } = await open([target, iod('beta', { source: 'a/path' })], '?q=of&page=2')
  const row = await rowOf('alpha')
  expect(row.getByRole('link', { name: target.created_by ?? '' }).getAttribute('href')).toBe(
    `/dashboard/community/profile/${target.created_by_id}`,
  )
  // There is no second page: the list soon removes the parameter.
  await waitFor(() => expect(search()).toBe('?q=of'))
  click(row.getByRole('link', { name: 'URL' }))
  await waitFor(() => expect(search()).toBe('?q=of&category=URL'))
  // The filter renders another table: the previous rows take no click.
  await screen.findByRole('button', { name: 'Remove filter URL' })
  click((await rowOf('alpha')).getByRole('link', { name: SOURCE }))
  const source = new URLSearchParams({ source: SOURCE }).toString()
  await waitFor(() => expect(search()).toBe(`?q=of&category=URL&${source}`))
  await waitFor(() => expect(screen.queryByText('beta')).toBeNull())

  const panel = await openRow('alpha')
  click(panel.getByRole('link', { name: 'BLOG' }))
  await isClosed()
  expect(path() + search()).toBe(`${LIST}?source_type=BLOG`)
})

test('shows removable chips for the filters by source and creator', async () => {
  const iods = [iod('alpha', { source: SOURCE })]
  const { search, calls } = await open(iods, `?source=a%2Fpath&created_by=${iods[0]?.created_by_id}`, {
    'GET /iods': () => [200, iods, { 'X-Total-Count': '1' }],
  })
  await rowOf('alpha')
  const asked = calls.find(({ route }) => route === 'GET /iods')?.search
  expect([asked?.get('source'), asked?.get('created_by')]).toEqual(['a/path', iods[0]?.created_by_id])
  click(await screen.findByRole('button', { name: `Remove filter Created By: ${iods[0]?.created_by}` }))
  await waitFor(() => expect(search()).toBe('?source=a%2Fpath'))
  click(screen.getByRole('button', { name: 'Remove filter Source: a/path' }))
  await waitFor(() => expect(search()).toBe(''))
})

test('removes a second chip that is clicked before the first disappears', async () => {
  const iods = [iod('alpha', { source: SOURCE })]
  const { search } = await open(iods, `?source=a%2Fpath&category=URL&created_by=${iods[0]?.created_by_id}`, {
    'GET /iods': () => [200, iods, { 'X-Total-Count': '1' }],
  })
  await rowOf('alpha')
  const chips = ['Source: a/path', `Created By: ${iods[0]?.created_by}`].map(label =>
    screen.getByRole('button', { name: `Remove filter ${label}` }),
  )
  act(() => {
    for (const chip of chips) chip.click()
  })
  await waitFor(() => expect(search()).toBe('?category=URL'))
})

test('opens the dialog for add=campaign, and removes the parameter on close', async () => {
  const target = iod('alpha')
  const { search, path } = await open([target], `/${target.id}?q=of&add=campaign`)
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to Campaign' }))
  click(dialog.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(search()).toBe('?q=of'))
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Add to Campaign' })).toBeNull())
  const panel = await panelOf('alpha')
  click(panel.getByRole('button', { name: 'Add to campaign' }))
  await screen.findByRole('dialog', { name: 'Add to Campaign' })
  expect(path() + search()).toBe(`${LIST}/${target.id}?q=of&add=campaign`)
  fireEvent.keyDown(document.body, { key: 'Escape' })
  await panelOf('alpha')
})

test('closes the dialog of add=campaign once the IOD is added, and lists the campaign', async () => {
  const target = iod('alpha')
  const id = 'c'.repeat(24)
  const lakes = { id, name: 'Lakes', iod_count: 3, created_at: '2026-10-30T10:00:00.000Z' }
  const added: unknown[] = []
  const { path, search } = await open([target], `/${target.id}?q=of&add=campaign`, {
    'GET /campaigns': ({ search }) =>
      search.has('iod_id') && added.length === 0
        ? [200, [], { 'X-Total-Count': '0' }]
        : [200, [lakes], { 'X-Total-Count': '1' }],
    'POST /campaigns/:id/add-iods': ({ params, body }) => {
      added.push([params.id, body])
      return [200, { added: [target.id], already: [], unknown: [] }]
    },
  })
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to Campaign' }))
  const campaigns = await part('Campaigns')
  await campaigns.findByText('None')
  click(await dialog.findByRole('radio', { name: /^Lakes/ }))
  click(dialog.getByRole('button', { name: 'Add 1 IOD' }))
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Add to Campaign' })).toBeNull())
  expect(added).toEqual([[id, { iod_ids: [target.id] }]])
  expect(path() + search()).toBe(`${LIST}/${target.id}?q=of`)
  const link = await campaigns.findByRole('link', { name: 'Lakes' })
  expect(link.getAttribute('href')).toBe(`/dashboard/campaigns/${id}`)
})

test('opens the evidence from the panel; Escape closes only the evidence', async () => {
  const target = iod('alpha')
  const { path } = await open([target], `/${target.id}`, {
    'POST /iods/evidence/counts': [200, { [target.id]: 3 }],
    'GET /iods/:id/evidence': [200, [], { 'X-Total-Count': '0' }],
  })
  const panel = await panelOf('alpha')
  click(await panel.findByRole('button', { name: 'Evidence (3)' }))
  const drawer = await screen.findByRole('dialog', { name: 'Evidence' })
  expect(await within(drawer).findByText('No evidence yet')).toBeTruthy()
  fireEvent.keyDown(drawer, { key: 'Escape' })
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Evidence' })).toBeNull())
  expect(screen.getByRole('dialog', { name: 'IOD' })).toBeTruthy()
  expect(path()).toBe(`${LIST}/${target.id}`)
})

test('links the panel to the first appearance of its IOD', async () => {
  const target = iod('alpha')
  const { path, search } = await open([target], `/${target.id}`)
  const panel = await panelOf('alpha')
  click(panel.getByRole('link', { name: 'Find first appearance' }))
  await waitFor(() => expect(path()).toBe('/dashboard/origins'))
  expect(search()).toBe(`?iod=${target.id}`)
})

test('watches the IOD of the panel', async () => {
  const target = iod('alpha')
  const { calls } = await open([target], `/${target.id}`, { 'POST /watches': [201, {}] })
  const watch = (await panelOf('alpha')).getByRole('button', { name: 'Watch' })
  await waitFor(() => expect(watch.hasAttribute('disabled')).toBe(false))
  click(watch)
  await waitFor(() =>
    expect(calls.find(({ route }) => route === 'POST /watches')?.body).toEqual({
      kind: 'iod',
      subject_id: target.id,
    }),
  )
})

test('scrolls to the comment that the URL names, on a later page too, and focuses it', async () => {
  const [target, other] = [iod('alpha'), iod('beta')]
  const comment = (n: number) => ({
    id: n.toString(16).padStart(24, 'c'),
    content: `comment ${n}`,
    user_id: user.id,
    username: 'ada',
    created_at: '2026-03-02T10:00:00.000Z',
    mentions: [],
    reply_to: null,
    edited_at: null,
    deleted: null,
    imported: false,
  })
  const reads: (string | null)[] = []
  const { search } = await open([target, other], `/${target.id}?q=of&comment=${comment(2).id}`, {
    'GET /iods/:id/comments': ({ params, search }) => {
      if (params.id === other.id) return [200, []]
      const cursor = search.get('cursor')
      reads.push(cursor)
      return cursor
        ? [200, [comment(2)]]
        : [200, [comment(1)], { 'X-Total-Count': '2', 'X-Next-Cursor': 'next' }]
    },
  })
  const text = await screen.findByText('comment 2')
  await waitFor(() => expect(document.activeElement).toBe(text.closest('li')))
  expect(reads).toEqual([null, 'next'])
  click((await rowOf('beta')).getByRole('link', { name: 'beta' }))
  await panelOf('beta')
  expect(search()).toBe('?q=of')
})
