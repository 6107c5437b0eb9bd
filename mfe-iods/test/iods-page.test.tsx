import { countVotes, type Iod, type VoteType } from '@iodine/contracts'
import { type Answer, openSection, type Routes, user } from '@iodine/mfe-kit/testing'
import { formatDateTime } from '@iodine/ui'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HEIGHTS } from '../src/pages/iod-columns'
import { parcel } from '../src/parcel'
import { iod, vote } from './fixtures'

// happy-dom has no layout: the table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'clientWidth', { get: () => 1_000 })

const ORDERS: Record<string, (iod: Iod) => number> = {
  created: () => 0,
  votes: ({ votes }) => -votes.length,
  disputed: iod => -Math.min(...Object.values(countVotes(iod))),
}

/** A stub API with its data in `iods`. */
const api = (iods: Iod[]) => {
  const matching = (search: URLSearchParams) =>
    iods.filter(
      ({ value, description, category, source_type }) =>
        `${value}\0${description}`.toLowerCase().includes((search.get('q') ?? '').toLowerCase()) &&
        (!search.has('category') || search.getAll('category').includes(category)) &&
        (!search.has('source_type') || search.getAll('source_type').includes(source_type)),
    )
  const counts = (found: Iod[], key: 'category' | 'source_type') => {
    const sums: Record<string, number> = {}
    for (const one of found) sums[one[key]] = (sums[one[key]] ?? 0) + 1
    return sums
  }
  return {
    'GET /iods': ({ search }) => {
      const order = ORDERS[search.get('sort') ?? 'created'] as (iod: Iod) => number
      const found = matching(search).sort((a, b) => order(a) - order(b))
      const from = Number(search.get('cursor') ?? 0)
      const to = from + Number(search.get('limit'))
      return [
        200,
        found.slice(from, to),
        {
          'X-Total-Count': String(found.length),
          ...(to < found.length && { 'X-Next-Cursor': String(to) }),
        },
      ]
    },
    'GET /iods/facets': ({ search }) => {
      const found = matching(search)
      return [
        200,
        {
          total: found.length,
          categories: counts(found, 'category'),
          source_types: counts(found, 'source_type'),
        },
      ]
    },
    'GET /iods/:id/comments': [200, []],
    'POST /iods/consensus': [200, {}],
    'POST /iods/evidence/counts': [200, {}],
    'POST /iods': ({ body }) => {
      const created = iod('', body as Partial<Iod>)
      iods.unshift(created)
      return [201, created]
    },
  } satisfies Routes
}

const open = (iods: Iod[], routes: Routes = {}, query = '') =>
  openSection(parcel, '/dashboard/iods', `/dashboard/iods${query}`, { ...api(iods), ...routes })

const rowOf = async (value: string) =>
  within((await screen.findByText(value)).closest('tr') as HTMLTableRowElement)
const press = async (name: string | RegExp, within_ = screen as Pick<typeof screen, 'findByRole'>) =>
  fireEvent.click(await within_.findByRole('button', { name }))
const shown = () => screen.getByText(/^Showing/).textContent

const mixed = () => [
  iod('alpha', { category: 'URL', source_type: 'BLOG', source: 'https://b.example.org/1' }),
  iod('beta', { category: 'URL' }),
  iod('gamma', { category: 'HASH', created_by: null, created_by_username: null }),
]

test('names the table’s columns, and exposes the number and the indexes of the rows', async () => {
  await open(mixed())
  const row = await rowOf('alpha')
  expect(screen.getAllByRole('columnheader').map(head => head.textContent)).toEqual([
    'Value',
    'Category',
    'Source',
    'Votes',
    'Created By',
    'Activity',
    'Actions',
  ])
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('4')
  expect(row.getByText('alpha').closest('tr')?.getAttribute('aria-rowindex')).toBe('2')
  expect((await rowOf('gamma')).getByText('Unknown')).toBeTruthy()
  await waitFor(() => expect(shown()).toBe('Showing 3 of 3 IODs'))
})

test('renders few rows of a long list and reads one page', async () => {
  const { calls } = await open(Array.from({ length: 1_000 }, (_, index) => iod(`value ${index}`)))
  await rowOf('value 0')
  expect(screen.getAllByRole('row').length).toBeLessThan(40)
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('1001')
  expect(calls.filter(({ route }) => route === 'GET /iods')).toHaveLength(1)
})

test('shows counts in menus, and stores choices in the URL until chips, All or Clear all remove them', async () => {
  const { search } = await open(mixed())
  await rowOf('alpha')
  await press('Categories')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'URL 2' }))
  await waitFor(() => expect(shown()).toBe('Showing 2 of 3 IODs'))
  expect(search()).toBe('?category=URL')
  expect(screen.queryByText('gamma')).toBeNull()
  expect(await screen.findByRole('checkbox', { name: 'HASH 1' })).toBeTruthy()
  fireEvent.click(screen.getByRole('checkbox', { name: 'HASH 1' }))
  await waitFor(() => expect(search()).toBe('?category=URL&category=HASH'))
  fireEvent.click(await screen.findByRole('checkbox', { name: 'All 3' }))
  await waitFor(() => expect(search()).toBe(''))

  await press('Sources')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'BLOG 1' }))
  await waitFor(() => expect(shown()).toBe('Showing 1 of 3 IODs'))
  await press('Remove filter Source: BLOG')
  await waitFor(() => expect(search()).toBe(''))
  expect(screen.queryByRole('button', { name: 'Clear all' })).toBeNull()
})

test('shows the filtered list of a link, and the whole list after Clear all', async () => {
  const { search, calls } = await open(mixed(), {}, '?q=a&category=URL&category=HASH&source_type=MANUAL')
  await waitFor(() => expect(shown()).toBe('Showing 2 of 3 IODs'))
  expect(calls.find(({ route }) => route === 'GET /iods')?.search.getAll('category')).toEqual(['URL', 'HASH'])
  const field = screen.getByPlaceholderText<HTMLInputElement>('Search by value or description...')
  expect(field.value).toBe('a')
  await press('Clear all')
  await waitFor(() => expect(shown()).toBe('Showing 3 of 3 IODs'))
  expect([search(), field.value]).toEqual(['', ''])
})

const values = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map(row => row.firstElementChild?.textContent)

test('stores the order in the URL, not as a filter; Back and Clear all keep it', async () => {
  const iods = [
    iod('new'),
    iod('loved', { votes: [vote('ann', 'POSITIVE'), vote('bob', 'POSITIVE'), vote('cy', 'POSITIVE')] }),
    iod('disputed', { votes: [vote('ann', 'POSITIVE'), vote('bob', 'NEGATIVE')], category: 'HASH' }),
  ]
  const { search, calls, navigate } = await open(iods)
  await rowOf('loved')
  const sort = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Sort' })
  expect(Array.from(sort.options, ({ text }) => text)).toEqual(['Newest', 'Most votes', 'Most disputed'])
  expect([sort.value, search()]).toEqual(['created', ''])

  fireEvent.change(sort, { target: { value: 'votes' } })
  await waitFor(() => expect(values()).toEqual(['loved', 'disputed', 'new']))
  expect(search()).toBe('?sort=votes')
  expect(screen.queryByRole('button', { name: 'Clear all' })).toBeNull()
  fireEvent.change(sort, { target: { value: 'disputed' } })
  await waitFor(() => expect(values()).toEqual(['disputed', 'new', 'loved']))
  expect(search()).toBe('?sort=disputed')

  await press('Categories')
  fireEvent.click(await screen.findByRole('checkbox', { name: 'HASH 1' }))
  await waitFor(() => expect(values()).toEqual(['disputed']))
  expect(search()).toBe('?category=HASH&sort=disputed')
  await press('Clear all')
  await waitFor(() => expect(search()).toBe('?sort=disputed'))
  expect(sort.value).toBe('disputed')
  navigate(-3)
  await waitFor(() => expect(values()).toEqual(['loved', 'disputed', 'new']))
  expect([sort.value, search()]).toEqual(['votes', '?sort=votes'])
  fireEvent.change(sort, { target: { value: 'created' } })
  await waitFor(() => expect(values()).toEqual(['new', 'loved', 'disputed']))
  expect(search()).toBe('')
  expect(calls.filter(({ route, search }) => route === 'GET /iods/facets' && search.has('sort'))).toEqual([])
})

test('follows the cursors of the order in a link', async () => {
  const { calls } = await open(
    Array.from({ length: 120 }, (_, index) => iod(`value ${index}`)),
    {},
    '?sort=votes&page=3',
  )
  const pages = () => calls.filter(({ route }) => route === 'GET /iods').map(call => call.search)
  await waitFor(() => expect(pages()).toHaveLength(3))
  expect(pages().map(each => each.get('sort'))).toEqual(['votes', 'votes', 'votes'])
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Sort' }).value).toBe('votes')
})

const marksIn = (text: string) => {
  const cell = screen.getAllByRole('row').find(row => row.textContent?.includes(text))?.firstElementChild
  return Array.from(cell?.querySelectorAll('mark') ?? [], mark => mark.textContent)
}

test('highlights a match in the value, or in an excerpt of the description', async () => {
  const filler = 'lorem ipsum dolor '.repeat(60)
  const hostile = '<img src=x onerror=alert(1)>'
  await open(
    [
      iod('A Lake in view', { description: 'also a lake' }),
      iod('beyond', { value: `${filler}to the lake at last` }),
      iod('described', { description: `${filler}near a LAKE, ${hostile} ${filler}` }),
      iod(`${hostile} lake`, { description: '' }),
    ],
    {},
    '?q=lake',
  )
  await waitFor(() => expect(shown()).toBe('Showing 4 of 4 IODs'))
  expect(values()).toEqual([
    'A Lake in view',
    '…ipsum dolor to the lake at last',
    expect.stringMatching(/^described…ipsum dolor near a LAKE, <img src=x onerror=alert\(1\)> lorem .*…$/),
    `${hostile} lake`,
  ])
  const texts = ['A Lake', '…ipsum dolor to', 'described', '> lake']
  expect(texts.map(marksIn)).toEqual([['Lake'], ['lake'], ['LAKE'], ['lake']])
  expect(document.querySelector('td img')).toBeNull()
  await press('Clear all')
  await waitFor(() => expect(document.querySelector('mark')).toBeNull())
  expect(values()[2]).toBe('described')
})

test('marks counts that are lower bounds with a plus', async () => {
  const { search } = await open(mixed(), {
    'GET /iods': ({ search }) => [
      200,
      mixed(),
      { 'X-Total-Count': '10000', ...(search.has('q') && { 'X-Total-Relation': 'gte' }) },
    ],
    'GET /iods/facets': ({ search }) => [
      200,
      search.has('q')
        ? { total: 10_000, categories: { URL: 9_001 }, source_types: { MANUAL: 9_999 }, exact: false }
        : { total: 1_234_567, categories: { URL: 1_234_567 }, source_types: { MANUAL: 1_234_567 } },
    ],
  })
  await waitFor(() => expect(shown()).toBe('Showing 10,000 of 1,234,567 IODs'))
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('10001')
  await press('Categories')
  expect(await screen.findByRole('checkbox', { name: 'URL 1,234,567' })).toBeTruthy()
  const field = screen.getByPlaceholderText('Search by value or description...')
  fireEvent.change(field, { target: { value: 'a' } })
  await waitFor(() => expect(shown()).toBe('Showing 10,000+ of 1,234,567 IODs'))
  expect(search()).toBe('?q=a')
  expect(screen.getByRole('table').getAttribute('aria-rowcount')).toBe('-1')
  for (const name of ['All 10,000+', 'URL 9,001+', 'HASH 0+'])
    expect(await screen.findByRole('checkbox', { name })).toBeTruthy()
  await press('Sources')
  expect(await screen.findByRole('checkbox', { name: 'MANUAL 9,999+' })).toBeTruthy()
})

test('shows lower bounds on both sides if the number of all IODs is unknown', async () => {
  await open(
    mixed(),
    {
      'GET /iods': () => [200, mixed(), { 'X-Total-Count': '1000', 'X-Total-Relation': 'gte' }],
      'GET /iods/facets': () => [503, {}],
    },
    '?q=a',
  )
  await waitFor(() => expect(shown()).toBe('Showing 1,000+ of 1,000+ IODs'))
  expect(screen.getByRole('button', { name: 'Select the first 5,000 matching' })).toBeTruthy()
})

test('debounces a search, and offers to clear one without results', async () => {
  const { calls, search } = await open(mixed())
  await rowOf('alpha')
  const field = screen.getByPlaceholderText('Search by value or description...')
  for (const value of ['z', 'zz', 'zzz']) fireEvent.change(field, { target: { value } })
  expect(await screen.findByText('No IODs match these filters')).toBeTruthy()
  const searches = calls.filter(({ route, search }) => route === 'GET /iods' && search.has('q'))
  expect(searches.map(call => call.search.get('q'))).toEqual(['zzz'])
  expect(search()).toBe('?q=zzz')
  await press('Clear filters')
  await rowOf('alpha')
})

test('loads the list up to the page in a link', async () => {
  const { calls } = await open(
    Array.from({ length: 300 }, (_, index) => iod(`value ${index}`)),
    {},
    '?page=3',
  )
  await waitFor(() => expect(calls.filter(({ route }) => route === 'GET /iods')).toHaveLength(3))
})

test('opens a link at the first row of its page, stores the page in view, and returns to the top on Refresh', async () => {
  // happy-dom has no layout: without a height of its content, the frame does not scroll.
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(140 * HEIGHTS.row)
  onTestFinished(() => void vi.restoreAllMocks())
  const iods = Array.from({ length: 140 }, (_, index) => iod(`value ${index}`))
  const { search } = await open(iods, {}, '?sort=votes&page=3')
  const frame = () => screen.getByLabelText('IODs')
  const indexOf = async (value: string) =>
    (await screen.findByText(value)).closest('tr')?.getAttribute('aria-rowindex')
  await waitFor(() => expect(frame().scrollTop).toBe(100 * HEIGHTS.row))
  // happy-dom dispatches no scroll event.
  fireEvent.scroll(frame())
  expect(await indexOf('value 100')).toBe('102')
  expect(screen.queryByText('value 0')).toBeNull()
  await waitFor(() => expect(search()).toBe('?sort=votes&page=3'))

  frame().scrollTop = 60 * HEIGHTS.row
  fireEvent.scroll(frame())
  expect(await indexOf('value 60')).toBe('62')
  await waitFor(() => expect(search()).toBe('?sort=votes&page=2'))

  iods.unshift(iod('newcomer'))
  fireEvent.click(screen.getByText('Refresh'))
  expect(await indexOf('newcomer')).toBe('2')
  expect(frame().scrollTop).toBe(0)
  expect(search()).toBe('?sort=votes')
})

const voteRoute = (target: Iod, answer: (voteType: VoteType) => Answer | Promise<Answer>): Routes => ({
  'POST /iods/:id/vote': ({ params, body }) =>
    params.id !== target.id ? [404, {}] : answer((body as { vote_type: VoteType }).vote_type),
})

test('shows a vote immediately, and disables both buttons', async () => {
  const target = iod('alpha')
  let answer: (() => void) | undefined
  const { toasts } = await open(
    [target],
    voteRoute(
      target,
      vote_type =>
        new Promise(resolve => {
          answer = () => resolve([200, { ...target, votes: [{ ...vote(user.username, vote_type) }] }])
        }),
    ),
  )
  const row = await rowOf('alpha')
  await press('Upvote', row)
  await waitFor(() => expect(row.getByText('+1')).toBeTruthy())
  expect(row.getByRole<HTMLButtonElement>('button', { name: 'Upvote' }).disabled).toBe(true)
  expect(row.getByRole<HTMLButtonElement>('button', { name: 'Downvote' }).disabled).toBe(true)
  expect(toasts).toEqual([])
  await waitFor(() => expect(answer).toBeTruthy())
  answer?.()
  await waitFor(() => expect(toasts).toEqual([{ title: 'Vote enregistré', status: 'success', lang: 'fr' }]))
})

test('restarts a refresh that runs during a vote, and refetches the consensus', async () => {
  const target = iod('alpha', { votes: ['ann', 'bob', 'cy'].map(name => vote(name, 'POSITIVE')) })
  const list = api([target])['GET /iods']
  let stored = target
  const held: (() => void)[] = []
  let isHeld = false
  const { calls } = await open([target], {
    'GET /iods': async call => {
      // Returns the data stored when the request arrived.
      const answer = list(call)
      const then = stored
      if (isHeld) await new Promise<void>(resolve => held.push(resolve))
      return [200, [then], answer[2]]
    },
    'POST /iods/:id/vote': () => {
      stored = { ...target, votes: [...target.votes, vote(user.username, 'POSITIVE')] }
      return [200, stored]
    },
  })
  const consensus = () => calls.filter(({ route }) => route === 'POST /iods/consensus')
  await waitFor(() => expect(consensus()).toHaveLength(1))
  isHeld = true
  await press('Refresh')
  await waitFor(() => expect(held).toHaveLength(1))
  await press('Upvote', await rowOf('alpha'))
  expect(await screen.findByText('+4')).toBeTruthy()
  held[0]?.()
  await waitFor(() => expect(held).toHaveLength(2))
  await waitFor(() => expect(consensus()).toHaveLength(2))
  expect(screen.getByText('+4')).toBeTruthy()
  held[1]?.()
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Refresh' }).getAttribute('aria-busy')).not.toBe('true'),
  )
  expect(screen.getByText('+4')).toBeTruthy()
})

test('rolls back and reports a rejected vote', async () => {
  const target = iod('alpha')
  const { toasts } = await open(
    [target],
    voteRoute(target, () => [503, {}]),
  )
  const row = await rowOf('alpha')
  await press('Downvote', row)
  await waitFor(() => expect(toasts).toHaveLength(1))
  expect(toasts[0]).toEqual({
    title: 'Erreur',
    description: 'Une erreur est survenue lors du vote',
    status: 'error',
    lang: 'fr',
  })
  await waitFor(() => expect(row.getByText('−0')).toBeTruthy())
  expect(row.getByRole<HTMLButtonElement>('button', { name: 'Downvote' }).disabled).toBe(false)
})

test('shows a vote from another device after the conflict', async () => {
  const target = iod('alpha')
  const { toasts } = await open([target], {
    ...voteRoute(target, () => [409, { detail: 'You already voted' }]),
    'POST /iods/lookup': () => [200, [{ ...target, votes: [vote(user.username, 'NEGATIVE')] }]],
  })
  const row = await rowOf('alpha')
  await press('Upvote', row)
  await waitFor(() => expect(row.getByText('−1')).toBeTruthy())
  expect(row.getByText('+0')).toBeTruthy()
  expect(toasts.map(toast => toast.description)).toEqual(['You already voted'])
})

test.each([
  ['POSITIVE', ['true', 'false']],
  ['NEGATIVE', ['false', 'true']],
] as const)(
  'marks the button of the user’s %s vote, and explains why both are disabled',
  async (type, pressed) => {
    const target = iod('alpha')
    await open(
      [target],
      voteRoute(target, vote_type => [200, { ...target, votes: [vote(user.username, vote_type)] }]),
    )
    const row = await rowOf('alpha')
    const buttons = () => ['Upvote', 'Downvote'].map(name => row.getByRole('button', { name }))
    const isPressed = () => buttons().map(button => button.getAttribute('aria-pressed'))
    expect(isPressed()).toEqual(['false', 'false'])
    await press(type === 'POSITIVE' ? 'Upvote' : 'Downvote', row)
    await waitFor(() => expect(isPressed()).toEqual(pressed))
    for (const button of buttons()) {
      // A disabled button has no mouse events.
      fireEvent.mouseEnter(button.parentElement as HTMLElement)
      expect(await screen.findByText('You already voted')).toBeTruthy()
      fireEvent.mouseLeave(button.parentElement as HTMLElement)
      await waitFor(() => expect(screen.queryByText('You already voted')).toBeNull())
    }
  },
)

test('shows at most three avatars, and lists all voters in Activity with the dates of their votes', async () => {
  const votes = [
    vote('ann', 'POSITIVE'),
    vote('bob', 'NEGATIVE'),
    vote('cy', 'POSITIVE'),
    vote(null, 'POSITIVE'),
  ].map((each, index) => ({ ...each, created_at: `2026-11-1${index}T08:30:00.000Z` }))
  await open([iod('alpha', { votes })])
  const row = await rowOf('alpha')
  expect(row.getByRole('img', { name: 'Voted: ann, bob, cy and 1 more' })).toBeTruthy()
  expect(row.getByRole('img', { name: '3 positive, 1 negative' })).toBeTruthy()
  await press('Activity: 4 votes', row)
  expect(await screen.findByText('Positive votes (3)')).toBeTruthy()
  expect(screen.getByText('Negative votes (1)').nextSibling?.textContent).toContain('bob')
  expect(screen.getByText('Unknown')).toBeTruthy()
  expect(screen.getByText('No comments yet')).toBeTruthy()
  const voters = within(screen.getByRole('region', { name: 'Activity' })).getAllByRole('listitem')
  expect(voters.map(({ textContent }) => textContent)).toEqual(
    [0, 2, 3, 1].map(
      at => `${votes[at]?.username ?? 'Unknown'}${formatDateTime(votes[at]?.created_at as string)}`,
    ),
  )
})

test('shows the latest three comments in Activity, the newest first', async () => {
  const comments = ['a', 'b', 'c', '<b>d</b>'].map((content, n) => ({
    id: String(n).repeat(24),
    content,
    user_id: null,
    username: n === 0 ? 'ann' : null,
    created_at: `2026-11-1${n}T08:30:00.000Z`,
  }))
  await open([iod('alpha', { comments })])
  await press('Activity: 0 votes', await rowOf('alpha'))
  const shown = within(await screen.findByRole('region', { name: 'Activity' })).getAllByRole('listitem')
  expect(shown.map(({ textContent }) => textContent)).toEqual(
    comments
      .slice(1)
      .reverse()
      .map(({ content, created_at }) => `Unknown${formatDateTime(created_at)}${content}`),
  )
})

test('shows everything in Details, and links only http(s) sources', async () => {
  await open([
    iod('alpha', { source: 'https://b.example.org/1' }),
    iod('beta', { source: 'javascript:alert(1)', description: '' }),
  ])
  const row = await rowOf('alpha')
  await press('Details', row)
  const link = await screen.findByRole('button', { name: 'Open in new tab' })
  expect(['href', 'target', 'rel'].map(name => link.getAttribute(name))).toEqual([
    'https://b.example.org/1',
    '_blank',
    'noopener noreferrer',
  ])
  await press('Details', row)
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Open in new tab' })).toBeNull())
  await press('Details', await rowOf('beta'))
  expect(await screen.findByText('—')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Open in new tab' })).toBeNull()
})

test('asks for missing fields in French, shows rejections, and opens the created IOD', async () => {
  let refuses = true
  const iods = mixed()
  const routes = api(iods)
  const { toasts, calls } = await open(iods, {
    'POST /iods': call =>
      refuses ? [409, { detail: 'This IOD already exists' }] : routes['POST /iods'](call),
  })
  await rowOf('alpha')
  await press('Create IOD')
  const dialog = within(await screen.findByRole('dialog', { name: 'Create New IOD' }))
  await press('Create IOD', dialog)
  await waitFor(() =>
    expect(toasts).toEqual([
      {
        lang: 'fr',
        title: 'Champs manquants',
        description: 'Veuillez remplir tous les champs requis',
        status: 'warning',
      },
    ]),
  )
  fireEvent.change(dialog.getByLabelText(/Value/), { target: { value: 'delta' } })
  fireEvent.change(dialog.getByLabelText(/Type/), { target: { value: 'TITLE' } })
  fireEvent.change(dialog.getByLabelText(/Description/), { target: { value: 'New' } })
  await press('Create IOD', dialog)
  await waitFor(() => expect(toasts[1]?.description).toBe('This IOD already exists'))
  refuses = false
  await press('Create IOD', dialog)
  await rowOf('delta')
  expect(calls.findLast(({ route }) => route === 'POST /iods')?.body).toEqual({
    value: 'delta',
    category: 'TITLE',
    description: 'New',
    source_type: 'MANUAL',
    source: null,
  })
  await waitFor(() => expect(shown()).toBe('Showing 4 of 4 IODs'))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('shows an empty state without IODs, and an error if they can’t be loaded', async () => {
  let fails = true
  const { toasts } = await open([], {
    'GET /iods': () => (fails ? [403, { detail: 'Not today' }] : [200, []]),
  })
  expect((await screen.findByRole('alert')).textContent).toContain('Error loading data')
  fails = false
  await press('Retry')
  expect(await screen.findByText('No IODs yet')).toBeTruthy()
  expect(toasts).toEqual([])
})

test('shows the amount of evidence in rows, with one request per page, and opens it', async () => {
  const iods = Array.from({ length: 60 }, (_, n) => iod(`claim ${n}`))
  const [target] = iods as [Iod]
  const { calls } = await open(iods, {
    'POST /iods/evidence/counts': ({ body }) => [
      200,
      (body as { ids: string[] }).ids.includes(target.id) ? { [target.id]: 2 } : {},
    ],
    'GET /iods/:id/evidence': [200, [], { 'X-Total-Count': '0' }],
  })
  const mark = await screen.findByRole('button', { name: 'Evidence: 2 quotes' })
  expect(mark.closest('tr')?.textContent).toContain('claim 0')
  expect(screen.getAllByRole('button', { name: /^Evidence/ })).toHaveLength(1)
  const asked = calls.filter(({ route }) => route === 'POST /iods/evidence/counts')
  expect(asked.map(({ body }) => (body as { ids: string[] }).ids)).toEqual([
    iods.slice(0, 50).map(({ id }) => id),
  ])
  fireEvent.click(mark)
  expect(await screen.findByRole('dialog', { name: 'Evidence' })).toBeTruthy()
})

test('shows the number of independent votes in rows where it differs, with one request per page', async () => {
  const votes = (n: number) =>
    Array.from({ length: n }, (_, at) => ({
      id: `${at}`.padStart(24, '0'),
      user_id: null,
      username: null,
      vote_type: 'POSITIVE' as const,
      created_at: '2026-11-20T10:00:00.000Z',
    }))
  const ring = iod('ring', { votes: votes(12) })
  const people = iod('people', { votes: votes(3) })
  const few = iod('few', { votes: votes(2) })
  const reason = '12 votes count like 3.1 independent ones: a group of 9 mostly vote the same.'
  const worth = (n: number) => ({ for: n, against: 0, confidence: 0.4, reason })
  const { calls } = await open([ring, people, few], {
    'POST /iods/consensus': [200, { [ring.id]: worth(3.1), [people.id]: worth(2.9), [few.id]: worth(1) }],
  })
  const mark = await screen.findByText(/independent$/)
  expect(mark.textContent).toBe('12 votes ≈ 3.1 independent')
  const row = mark.closest('tr')
  expect(row?.textContent).toContain('ring')
  // The bar is solid for 3.1 of 12 votes, then pale.
  const bar = row?.querySelector<HTMLElement>('[class*=positiveBar]')?.style
  expect([bar?.width, Number.parseFloat(bar?.getPropertyValue('--solid') ?? '')]).toEqual([
    '100%',
    expect.closeTo((3.1 / 12) * 100),
  ])
  expect(screen.getAllByText(/≈ .* independent/)).toHaveLength(1)
  expect(mark.closest('button, [tabindex="0"]')).toBe(mark.closest('tr[tabindex="0"]'))
  fireEvent.mouseEnter(mark)
  expect(await screen.findByText(reason)).toBeTruthy()
  const asked = calls.filter(({ route }) => route === 'POST /iods/consensus')
  expect(asked.map(({ body }) => body)).toEqual([{ ids: [ring.id, people.id, few.id] }])
})

test('keeps the list usable while the amounts of evidence are unknown', async () => {
  const { toasts } = await open([iod('alpha')], { 'POST /iods/evidence/counts': [403, { detail: 'No' }] })
  await screen.findByText('alpha')
  fireEvent.click(screen.getByRole('button', { name: 'Details' }))
  await screen.findByText('Description')
  expect(screen.queryByRole('button', { name: /^Evidence/ })).toBeNull()
  expect(toasts).toEqual([])
})

test('opens the evidence from the details of a row, and keeps it open when their popover closes', async () => {
  const target = iod('alpha')
  await open([target], {
    'POST /iods/evidence/counts': [200, { [target.id]: 1 }],
    'GET /iods/:id/evidence': [200, [], { 'X-Total-Count': '0' }],
  })
  await screen.findByRole('button', { name: 'Evidence: 1 quote' })
  fireEvent.click(screen.getByRole('button', { name: 'Details' }))
  const inDetails = await screen.findByText('Evidence (1)')
  fireEvent.click(inDetails)
  const drawer = await screen.findByRole('dialog', { name: 'Evidence' })
  expect(within(drawer).getByText('alpha')).toBeTruthy()
})

test('watches the filters of the list', async () => {
  const category = ['URL', 'HASH']
  const watch = { kind: 'search', search: { category: category.toReversed(), q: 'lake' } }
  const watches: unknown[] = []
  const { calls } = await open(
    [iod('lake', { category: 'URL' })],
    {
      'GET /watches': () => [200, watches],
      'POST /watches': () => {
        watches.push({ ...watch, id: 'a'.repeat(24), subject_id: null, text: null, name: 'lake' })
        return [201, watches[0]]
      },
    },
    '?q=lake&category=URL&category=HASH&sort=votes',
  )
  const button = await screen.findByRole('button', { name: 'Watch this search' })
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false))
  fireEvent.click(button)
  await waitFor(() => expect(watches).toHaveLength(1))
  expect(calls.find(({ route }) => route === 'POST /watches')?.body).toEqual({
    kind: 'search',
    search: { q: 'lake', category: expect.arrayContaining(category) },
  })
  await screen.findByRole('button', { name: 'Watching this search', pressed: true })
  fireEvent.click(screen.getByRole('button', { name: 'Clear all' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: /this search$/ })).toBeNull())
})
