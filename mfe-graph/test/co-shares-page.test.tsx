import {
  type CoordinationEvidence,
  type CoordinationNetwork,
  type CoordinationRun,
  paths,
} from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { parcel } from '../src/parcel'
import type { GraphCanvas } from '../src/stage/stage'

const PATH = '/dashboard/graph'
let section: Awaited<ReturnType<typeof openSection>>
const open = async (routes: Routes, search = '') => {
  section = await openSection(parcel, PATH, `${paths.coShares()}${search}`, routes)
}

const ID = 'a'.repeat(24)
const run = (given: Partial<CoordinationRun> = {}): CoordinationRun => ({
  id: ID,
  state: 'done',
  progress: 1,
  kinds: ['link', 'near'],
  window_s: 60,
  min_participation: 2,
  since: null,
  until: null,
  scope: 'own',
  about: null,
  created_at: '2026-03-01T10:00:00.000Z',
  expires_at: '2026-03-31T10:00:00.000Z',
  problem: null,
  totals: {
    posts: 12,
    without_time: 3,
    without_account: 0,
    shares: 14,
    pairs: 5,
    accounts: 3,
    edges: 2,
    threshold: 2,
  },
  truncated: { shares: false, objects: 1, edges: false },
  ...given,
})
const edge = { avg_delta_s: 12, n_a: 4, n_b: 4, symmetry: 1 }
const network: CoordinationNetwork = {
  nodes: [
    { id: 'telegram left', source: 'telegram', account: 'left', pairs: 5 },
    { id: 'telegram right', source: 'telegram', account: 'right', pairs: 4 },
    { id: 'tiktok <b>odd</b>', source: 'tiktok', account: '<b>odd</b>', pairs: 1 },
  ],
  edges: [
    {
      a: 'telegram left',
      b: 'telegram right',
      weight: 4,
      significant: true,
      p_value: 1 / 101,
      q_value: 2 / 101,
      ...edge,
    },
    {
      a: 'telegram left',
      b: 'tiktok <b>odd</b>',
      weight: 1,
      significant: false,
      p_value: 0.5,
      q_value: 0.5,
      ...edge,
    },
  ],
}
const post = { id: null, source: 'telegram' as const, url: null }
const evidence: CoordinationEvidence = {
  total: 4,
  pairs: [
    {
      kind: 'link',
      object: 'example.org/story',
      older: { ...post, account: 'left', posted_at: '2026-03-01T10:00:00.000Z', excerpt: 'Look <i>here</i>' },
      newer: { ...post, account: 'right', posted_at: '2026-03-01T10:00:12.000Z', excerpt: null },
      delta_s: 12,
    },
  ],
}
const DONE: Routes = {
  'GET /coordination/runs': [200, [run()]],
  'GET /coordination/runs/:id/graph': [200, network],
  'GET /coordination/runs/:id/shares': [200, evidence],
}

it('removes a run after a confirmation, and keeps it on Cancel', async () => {
  let all = [run()]
  const removed: unknown[] = []
  await open({
    ...DONE,
    'GET /coordination/runs': () => [200, all],
    'DELETE /coordination/runs/:id': ({ params }) => {
      removed.push(params)
      all = []
      return [200, { id: ID }]
    },
  })
  const ask = async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'Remove this run' }))
    return within(await screen.findByRole('dialog', { name: 'Remove run' }))
  }
  fireEvent.click((await ask()).getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(removed).toEqual([])
  fireEvent.click((await ask()).getByRole('button', { name: 'Remove' }))
  await screen.findByText(/^Find co-shares in your records/)
  expect(removed).toHaveLength(1)
})
const settled = async () => {
  const found = await screen.findByRole<GraphCanvas>('application', { name: 'Co-shares graph' })
  await waitFor(() => expect(found.dataset.layout).toBe('settled'))
  return found
}
const called = (route: string) => section.calls.filter(call => call.route === route)

describe('co-shares', () => {
  it('shows the latest run with its counts, omitted posts and truncated objects', async () => {
    await open(DONE)
    await settled()
    expect(screen.getByRole('list', { name: 'Counts' }).textContent).toBe(
      '12 posts14 shares5 pairs of shares3 accounts2 pairs of accounts',
    )
    expect(
      screen.getByText(
        '3 posts without time left out · 1 object has too many pairs: only a part was compared',
      ),
    ).toBeTruthy()
    expect(screen.getByRole('combobox', { name: 'Run' }).textContent).toContain(
      'links, nearly the same text · within 60 s',
    )
  })

  it('shows both posts and both times of an edge, and hostile text as plain text', async () => {
    await open(DONE, '&node=telegram+left&to=telegram+right')
    const card = await screen.findByRole('region', { name: 'Edge details' })
    expect(within(card).getByRole('heading', { name: 'left – right' })).toBeTruthy()
    expect(await within(card).findByText('Look <i>here</i>')).toBeTruthy()
    expect(within(card).getByText('2026-03-01 10:00:00 UTC')).toBeTruthy()
    expect(within(card).getByText('2026-03-01 10:00:12 UTC')).toBeTruthy()
    expect(within(card).getByRole('heading', { name: 'Pairs (1 of 4)' })).toBeTruthy()
    expect(Object.fromEntries(called('GET /coordination/runs/:id/shares')[0]?.search ?? [])).toEqual({
      a: 'telegram left',
      b: 'telegram right',
    })
  })

  it('hides insignificant edges on request', async () => {
    await open(DONE)
    const found = await settled()
    expect(found.nodePosition('tiktok <b>odd</b>')).not.toBeNull()
    fireEvent.click(
      screen.getByRole('checkbox', {
        name: /Significant pairs of accounts only: more than 2 pairs of shares/,
      }),
    )
    await waitFor(() => expect(found.nodePosition('tiktok <b>odd</b>')).toBeNull())
  })

  it('lists the pairs of accounts with their significance, beside the accounts', async () => {
    await open(DONE, '&view=table')
    const table = await screen.findByRole('table', { name: 'Pairs of accounts' })
    expect(
      within(table)
        .getAllByRole('row')
        .map(row => row.textContent),
    ).toEqual([
      'AccountsPairs of sharesAverage time apartp-valueq-valueSignificant',
      'left – right412 s0.00990.02yes',
      'left – <b>odd</b>112 s0.50.5no',
    ])
    fireEvent.click(within(table).getByRole('button', { name: 'left – right' }))
    const card = await screen.findByRole('region', { name: 'Edge details' })
    within(card).getByText('0.0099, from 100 runs with shuffled times')
    within(card).getByText('0.02, corrected for all pairs of accounts')
  })

  it('initializes the form with the parameters of the displayed run', async () => {
    const asked = run({
      kinds: ['hashtag'],
      window_s: 300,
      min_participation: 4,
      since: '2026-02-01T10:00:00.000Z',
      scope: 'shared',
      about: { name: 'Campaign: Mirrors', values: ['a', 'b'] },
    })
    await open({ ...DONE, 'GET /coordination/runs': [200, [asked]] }, `&run=${ID}`)
    await screen.findByText('Campaign: Mirrors')
    const textIn = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value
    expect(textIn('Time window (seconds)')).toBe('300')
    expect(textIn('Minimum shares per account')).toBe('4')
    expect(screen.getByLabelText<HTMLInputElement>(/^Posted since/).value).toBe('2026-02-01T10:00')
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Records' }).value).toBe('shared')
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Hashtags' }).checked).toBe(true)
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Links' }).checked).toBe(false)
  })

  it.each([
    ['&about=the+siren', { name: 'the siren', values: ['the siren'] }],
    [`&iod=${ID}`, { name: 'giant mirrors', values: ['giant mirrors'] }],
    [`&campaign=${ID}`, { name: 'Campaign: Lake', values: ['one', 'two'] }],
    [`&record=${ID}`, { name: 'Posts like one of your records', record_id: ID }],
  ])('begins a run about the subject of the URL %s', async (search, about) => {
    await open(
      {
        ...DONE,
        'GET /coordination/runs': [200, []],
        'GET /iods/:id': [200, { id: ID, value: 'giant mirrors' }],
        'GET /campaigns/:id': [200, { id: ID, name: 'Lake', iods: [{ value: 'one' }, { value: 'two' }] }],
        'POST /coordination/runs': [201, run({ state: 'queued', totals: null })],
      },
      search,
    )
    await waitFor(() => {
      const words = screen.queryByLabelText<HTMLInputElement>(/^About/)
      expect(words?.value || screen.queryByText(about.name)?.textContent).toBe(about.name)
    })
    fireEvent.click(screen.getByRole('button', { name: 'Find co-shares' }))
    await waitFor(() =>
      expect(called('POST /coordination/runs')[0]?.body).toMatchObject({ about, min_participation: 1 }),
    )
  })

  it('lists the posts that were left out', async () => {
    await open({
      ...DONE,
      'GET /coordination/runs/:id/left-out': [
        200,
        {
          posts: [
            {
              id: ID,
              source: 'telegram',
              account: 'left',
              url: 'https://t.me/left/9',
              collected_at: '2026-03-02T10:00:00.000Z',
              excerpt: 'When was this?',
              why: 'time',
            },
          ],
        },
      ],
    })
    const fold = (await screen.findByText('Posts left out')).closest('details')
    if (fold) {
      fold.open = true
      fireEvent(fold, new Event('toggle'))
    }
    const list = await screen.findByRole('list', { name: 'Posts left out' })
    expect(list.textContent).toContain('left The page states no time. Collected 2026-03-02 10:00:00 UTC')
    within(list).getByRole('link', { name: 'https://t.me/left/9' })
  })

  it('explains that posts of an edge are missing', async () => {
    await open(
      { ...DONE, 'GET /coordination/runs/:id/shares': [200, { total: 4, pairs: [] }] },
      '&node=telegram+left&to=telegram+right',
    )
    expect(await screen.findByText('The posts were deleted or are no longer shared.')).toBeTruthy()
  })

  it('begins a run with the form’s parameters, and follows it', async () => {
    let made: CoordinationRun | undefined
    await open({
      ...DONE,
      'GET /coordination/runs': () => [200, made ? [made] : []],
      'POST /coordination/runs': () => {
        made = run({ state: 'running', progress: 0.4, totals: null })
        return [201, made]
      },
    })
    expect(await screen.findByText(/Find co-shares in your records/)).toBeTruthy()
    const start = screen.getByRole('button', { name: 'Find co-shares' }) as HTMLButtonElement
    fireEvent.click(screen.getByRole('button', { name: 'Advanced' }))
    const within = screen.getByLabelText('Time window (seconds)')
    for (const wrong of ['0', '', '1.5', '86401', '-3']) {
      fireEvent.change(within, { target: { value: wrong } })
      expect(start.disabled).toBe(true)
    }
    fireEvent.change(within, { target: { value: '120' } })
    fireEvent.click(screen.getByRole('checkbox', { name: 'Hashtags' }))
    fireEvent.click(start)
    expect(await screen.findByText('Comparing shares…')).toBeTruthy()
    expect(called('POST /coordination/runs')[0]?.body).toEqual({
      kinds: ['link', 'near', 'media', 'hashtag'],
      window_s: 120,
      min_participation: 2,
      scope: 'own',
    })
    made = run()
    await settled()
  })

  it('shows the reason of a rejected and of a failed run', async () => {
    await open({
      'GET /coordination/runs': [
        200,
        [run({ state: 'failed', totals: null, problem: 'There were too many posts' })],
      ],
      'POST /coordination/runs': [409, { detail: '3 runs are under way: wait until one is done' }],
    })
    expect(await screen.findByText(/There were too many posts\. Choose a shorter period/)).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Find co-shares' }))
    await waitFor(() =>
      expect(section.toasts).toMatchObject([
        { status: 'error', description: '3 runs are under way: wait until one is done' },
      ]),
    )
  })

  it('explains that no two accounts share the same content', async () => {
    await open({ ...DONE, 'GET /coordination/runs/:id/graph': [200, { nodes: [], edges: [] }] })
    expect(await screen.findByText(/No two accounts share the same content within this time/)).toBeTruthy()
  })

  it('analyzes a CSV without sending it', async () => {
    await open({ 'GET /coordination/runs': [200, []] })
    const input = await screen.findByLabelText('CSV of shares')
    const rows = [1, 2].flatMap(n => [`l${n},ana,a${n},${n * 1_000}`, `l${n},ben,b${n},${n * 1_000 + 4}`])
    const file = new File(
      [['object_id,account_id,content_id,timestamp_share', ...rows].join('\n')],
      'mine.csv',
    )
    fireEvent.change(input, { target: { files: [file] } })
    const found = await settled()
    expect(found.nodePosition('ana')).not.toBeNull()
    expect(screen.getByRole('combobox', { name: 'Run' }).textContent).toContain('mine.csv')
    expect(section.calls.map(({ route }) => route)).toEqual(['GET /coordination/runs'])
  })
})
