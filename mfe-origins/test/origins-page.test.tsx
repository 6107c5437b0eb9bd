import type { SightingResults } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { parcel } from '../src/parcel'
import { idOf, results, sighting } from './fixtures'

const PATH = '/dashboard/origins'
let section: Awaited<ReturnType<typeof openSection>>
const open = async (search: string, routes: Routes) => {
  section = await openSection(parcel, PATH, `${PATH}${search}`, routes)
}
const answers = (found: SightingResults): Routes => ({ 'POST /sightings/search': [200, found] })
const searchCalls = () => section.calls.filter(({ route }) => route === 'POST /sightings/search')
const STORY = results(
  [
    sighting(1, { account: 'first_voice', matches: ['exact'] }),
    sighting(2, {
      account: '<b>loud</b>',
      matches: ['near'],
      likeness: 0.91,
      edited: true,
      posted_claimed: false,
    }),
    sighting(3, { account: 'صوت البحيرة', own: false, shared: 'username', shared_by: 'mira' }),
  ],
  {
    edges: [
      { from: idOf(1), to: idOf(2), how: 'link', delta_s: null },
      { from: idOf(1), to: idOf(3), how: 'forward', delta_s: 7_200 },
    ],
  },
)

describe('the search', () => {
  it('sends no request before the user searches', async () => {
    await open('', {})
    await screen.findByText('Search for a text, a URL or a hash')
    expect(section.calls).toEqual([])
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Search' }).disabled).toBe(true)
  })

  it('stores the search in the URL, and sends it', async () => {
    await open('', answers(STORY))
    fireEvent.change(await screen.findByRole('textbox', { name: 'Search for' }), {
      target: { value: ' the lake ' },
    })
    fireEvent.change(screen.getByRole('combobox', { name: 'Records' }), { target: { value: 'shared' } })
    fireEvent.click(screen.getByRole('button', { name: 'Search' }))
    await screen.findByRole('region', { name: 'Earliest known here' })
    expect(section.search()).toBe('?value=the+lake&scope=shared')
    expect(searchCalls().map(({ body }) => body)).toEqual([{ value: 'the lake', scope: 'shared' }])
  })

  it('can be watched', async () => {
    await open('?value=the+lake', { ...answers(STORY), 'POST /watches': [201, {}] })
    const watch = await screen.findByRole('button', { name: 'Watch this term' })
    await waitFor(() => expect(watch.hasAttribute('disabled')).toBe(false))
    fireEvent.click(watch)
    await waitFor(() => expect(section.toasts).toMatchObject([{ title: 'Watching' }]))
    const { body } = section.calls.find(({ route }) => route === 'POST /watches') ?? {}
    expect(body).toEqual({ kind: 'term', text: 'the lake' })
  })

  it('rejects a period that ends before it begins', async () => {
    await open('?value=a', answers(STORY))
    fireEvent.click(await screen.findByRole('button', { name: 'Period' }))
    fireEvent.change(await screen.findByLabelText(/^Since/), { target: { value: '2026-03-02T10:00' } })
    fireEvent.change(screen.getByLabelText(/^Until/), { target: { value: '2026-03-01T10:00' } })
    await screen.findByText('Must be after Since')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Search' }).disabled).toBe(true)
  })

  it('explains that there is no match, and suggests another search', async () => {
    await open('?value=a', answers(results([])))
    await screen.findByText('No matching posts')
    screen.getByText(/Search shared records too/)
  })

  it('shows an error, and retries', async () => {
    let broken = true
    await open('?value=a&scope=shared', {
      'POST /sightings/search': () => (broken ? [503, { detail: 'Not now' }] : [200, STORY]),
    })
    await screen.findByText('Not now')
    broken = false
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByRole('region', { name: 'Earliest known here' })
  })

  it('explains that a record does not exist', async () => {
    await open(`?record=${idOf(9)}`, { 'POST /sightings/search': [404, { detail: 'Not found' }] })
    await screen.findByText('This record cannot be searched for')
    expect(searchCalls()[0]?.body).toEqual({ record_id: idOf(9), scope: 'own' })
  })

  it('searches by the value of an IOD', async () => {
    await open(`?iod=${idOf(7)}`, {
      ...answers(STORY),
      'GET /iods/:id': [200, { id: idOf(7), value: 'the siren' }],
      'GET /sightings/counting': [200, { counted: false }],
    })
    await screen.findByRole('link', { name: 'the siren' })
    await screen.findByRole('region', { name: 'Earliest known here' })
    expect(searchCalls()[0]?.body).toEqual({ value: 'the siren', scope: 'own' })
    await screen.findByRole('link', { name: 'My Profile' })
  })
})

describe('the results', () => {
  it('show the earliest known occurrence, each account’s first one and what it follows from', async () => {
    await open('?value=a', answers(STORY))
    const first = await screen.findByRole('region', { name: 'Earliest known here' })
    within(first).getByText('first_voice')
    within(first).getByText('2026-03-01 11:00:00 UTC')
    within(first).getByText(/Earlier posts may exist outside these records/)
    const firsts = screen.getByRole('region', { name: 'First appearance by account' })
    expect(
      within(firsts)
        .getAllByRole('row')
        .slice(1)
        .map(row => row.textContent),
    ).toEqual([
      'first_voice2026-03-01 11:00:00 UTCclaimed by the pageEarliest known here1',
      '<b>loud</b>≤ 2026-03-01 12:00:00 UTCcollection time, may be earlierLinks to the post by first_voice1',
      'صوت البحيرة2026-03-01 13:00:00 UTCclaimed by the pageForwarded from first_voice, according to the page1',
    ])
  })

  it('show the same in the legend, the table and the details of a selection', async () => {
    await open('?value=a', answers(STORY))
    fireEvent.click(await screen.findByRole('button', { name: '<b>loud</b>' }))
    const details = await screen.findByRole('region', { name: 'Selected post' })
    within(details).getByText('Nearly the same text: 91 % of words shared')
    within(details).getByText('An edited version never counts as the first appearance')
    within(details).getByText(/used for the order; the post may be earlier/)
    fireEvent.click(within(details).getByRole('button', { name: /^Links to the post/ }))
    await waitFor(() => within(details).getByText('first_voice'))
    fireEvent.click(within(details).getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Selected post' })).toBeNull())
    expect(within(screen.getByRole('list', { name: 'Legend' })).getByText(/shared by others/)).toBeTruthy()
  })

  it('show the site that a clone names as its original, and that a post was seen removed', async () => {
    const clone = sighting(1, {
      source: 'blog',
      account: 'mirror.example.net',
      names: 'https://paper.example.com/1',
      removed_at: '2026-03-08T10:00:00.000Z',
    })
    await open('?value=a', answers(results([clone])))
    const first = await screen.findByRole('region', { name: 'Earliest known here' })
    expect(first.textContent).toContain('Originalpaper.example.com according to the page')
    expect(first.textContent).toContain('Detected on 2026-03-08 10:00:00 UTC; the record is kept')
    within(first).getByText('Removed', { selector: 'span' })
    within(screen.getByRole('list', { name: 'Legend' })).getByText('removed')
  })

  it('mark an imported post, whose times its file states, and find its account in the records', async () => {
    const post = sighting(1, { source: 'post', account: 'night_desk (x)', imported: true })
    await open('?value=a', answers(results([post])))
    const first = await screen.findByRole('region', { name: 'Earliest known here' })
    within(first).getByText('Imported', { selector: 'span' })
    expect(first.textContent).toContain('according to the imported file')
    expect(first.textContent).not.toContain('Collected')
    screen.getByText('claimed by the imported file')
    const records = within(first).getByRole('link', { name: 'Records of this account' })
    expect(records.getAttribute('href')).toBe('/dashboard/data?source=post&q=night_desk')
  })

  it('are selected by the keys of the timeline, which announces the selection', async () => {
    await open('?value=a', answers(STORY))
    const timeline = await screen.findByRole('application', { name: 'Timeline of posts' })
    const whole = timeline.dataset.span
    fireEvent.keyDown(timeline, { key: 'End' })
    const details = await screen.findByRole('region', { name: 'Selected post' })
    within(details).getByText('@mira')
    fireEvent.keyDown(timeline, { key: 'ArrowLeft' })
    await screen.findByText('<b>loud</b>, ≤ 2026-03-01 12:00:00 UTC, Nearly the same text')
    fireEvent.keyDown(timeline, { key: '+' })
    await waitFor(() => expect(timeline.dataset.span).not.toBe(whole))
    fireEvent.click(screen.getByRole('button', { name: 'Show all' }))
    await waitFor(() => expect(timeline.dataset.span).toBe(whole))
    fireEvent.keyDown(timeline, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Selected post' })).toBeNull())
  })

  it('show which may be earlier and which was collected first, and the share of words only for near copies', async () => {
    const [claimed, early] = [
      sighting(1, { matches: ['quoted'], likeness: 0.42 }),
      sighting(2, {
        matches: ['reworded'],
        likeness: 0.27,
        posted_claimed: false,
        fetched_at: '2026-03-01T12:00:00.000Z',
      }),
    ]
    await open('?value=a', answers(results([claimed, early], { first_seen: early })))
    const first = await screen.findByRole('region', { name: 'Earliest known here' })
    within(first).getByText(/^1 other post may be earlier/)
    within(first).getByText(/^Collected first/)
    fireEvent.click(within(first).getByRole('button', { name: 'account_2' }))
    within(await screen.findByRole('region', { name: 'Selected post' })).getByText('account_2')
    const firsts = screen.getByRole('region', { name: 'First appearance by account' })
    within(firsts).getByText('Only its collection time is known')
    expect(screen.getAllByText('Quoted word for word').length).toBeGreaterThan(0)
    expect(screen.queryByText(/\d %/)).toBeNull()
  })

  it.each([
    ['?value=the+lake', 'about=the+lake'],
    [`?iod=${idOf(7)}`, `iod=${idOf(7)}`],
    [`?record=${idOf(9)}`, `record=${idOf(9)}`],
  ])('link from %s to the co-shares', async (search, query) => {
    await open(search, {
      ...answers(STORY),
      'GET /iods/:id': [200, { id: idOf(7), value: 'the siren' }],
      'GET /sightings/counting': [200, { counted: false }],
    })
    const link = await screen.findByRole('link', { name: 'Show co-shares' })
    expect(link.getAttribute('href')).toBe(`/dashboard/graph?tab=co-shares&${query}`)
  })

  it('warn that the earliest may be missing', async () => {
    const { counts } = STORY
    await open('?value=a', answers({ ...STORY, counts: { ...counts, truncated: true } }))
    await screen.findByText(/the earliest may be missing/)
  })

  it('load the remaining pages on request', async () => {
    const pages: Record<string, SightingResults> = {
      none: results([sighting(1)], { counts: { ...STORY.counts, items: 3 }, next: 'b' }),
      b: results([sighting(2)], { next: 'c' }),
      c: results([sighting(3)]),
    }
    await open('?value=a', {
      'POST /sightings/search': ({ body }) => [200, pages[(body as { cursor?: string }).cursor ?? 'none']],
    })
    await screen.findByText(/The earliest 1 of 3 posts are shown/)
    fireEvent.click(screen.getByRole('button', { name: 'Load all' }))
    await waitFor(() => expect(screen.queryByText(/posts are shown/)).toBeNull())
    expect(searchCalls()).toHaveLength(3)
  })
})

describe('other collectors', () => {
  const ROUTES: Routes = { ...answers(STORY), 'GET /sightings/counting': [200, { counted: true }] }

  it('are counted on demand', async () => {
    await open(`?record=${idOf(1)}`, {
      ...ROUTES,
      'POST /sightings/counts': [
        200,
        { day: '2026-03-09', counts: [{ of: 'post', others: '6–10', first_month: '2026-02' }] },
      ],
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Count other collectors' }))
    await screen.findByText('The same post: 6–10 others, the first in 2026-02')
    expect(section.calls.at(-1)?.body).toEqual({ record_id: idOf(1) })
  })

  it('show the limit of queries per hour', async () => {
    await open(`?record=${idOf(1)}`, { ...ROUTES, 'POST /sightings/counts': [429, { detail: 'Too many' }] })
    fireEvent.click(await screen.findByRole('button', { name: 'Count other collectors' }))
    await screen.findByText(/hourly limit for counts/)
  })
})
