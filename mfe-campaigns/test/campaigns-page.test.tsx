import type { Campaign, CampaignDetail, Iod } from '@iodine/contracts'
import { openSection, type Routes, user } from '@iodine/mfe-kit/testing'
import { anIod, aVote } from '@iodine/test-kit/iods'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { creatorOf, nameOf, searchCampaigns } from '../src/model/campaigns'
import { searchChoices, searchMembers, summarize } from '../src/model/iods'
import { parcel } from '../src/parcel'
import { SIDE_ROUTES } from './fixtures'

// happy-dom has no layout: a table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 600 })

let made = 0
const newId = () => (++made).toString(16).padStart(24, '0')

const iod = (value: string, fields: Partial<Iod> = {}): Iod =>
  anIod({ value, description: 'Seen often', ...fields })

const campaign = (name: string, fields: Partial<Campaign> = {}): Campaign => ({
  id: newId(),
  name,
  description: '',
  created_by_id: newId(),
  created_by_username: 'bo',
  created_at: '2026-11-20T10:00:00.000Z',
  iod_count: 0,
  ...fields,
})

const open = (campaigns: Campaign[], routes: Routes = {}, path = '') =>
  openSection(parcel, '/dashboard/campaigns', `/dashboard/campaigns${path}`, {
    'GET /campaigns': () => [200, campaigns],
    'GET /campaigns/my': () => [200, []],
    ...SIDE_ROUTES,
    'GET /iods/:id/comments': [200, []],
    'POST /iods/consensus': [200, {}],
    'POST /iods/evidence/counts': [200, {}],
    ...routes,
  })

describe('the list', () => {
  it('shows cards with their fallbacks, and a menu only to the creator', async () => {
    await open([campaign(' ', { created_by_username: null, created_by_id: 'a'.repeat(24), iod_count: 1 })])
    const card = await screen.findByRole('article', { name: 'Unnamed Campaign' })
    expect(card.textContent).toContain('1 IOD')
    expect(card.textContent).toContain(`Created by ${'a'.repeat(24)}`)
    expect(within(card).queryByRole('button')).toBeNull()
  })

  it('requests the campaigns that a link from Analytics counts', async () => {
    const { calls } = await open(
      [campaign('Mirrors')],
      {},
      '?technique=T0043&from=2026-11-01&to=2026-11-02&mine=true',
    )
    await screen.findByRole('article', { name: 'Mirrors' })
    const days = 'created 2026-11-01 to 2026-11-02 (UTC)'
    expect(
      screen.getByText(
        new RegExp(`Only campaigns of yours, with technique T0043, ${days.replace(/[()]/g, '.')}`),
      ),
    ).toBeTruthy()
    const query = calls.find(({ search }) => search.has('technique'))?.search
    expect(Object.fromEntries(query ?? [])).toEqual({
      technique: 'T0043',
      from: '2026-11-01',
      to: '2026-11-02',
      mine: 'true',
    })
  })

  it('counts the comments of a campaign', async () => {
    await open([campaign('Mirrors', { comment_count: 2 }), campaign('Lake')])
    const card = (name: string) => screen.findByRole('article', { name })
    expect((await card('Mirrors')).textContent).toContain('2 comments')
    expect((await card('Lake')).textContent).not.toContain('comment')
  })

  it('removes the campaign that its creator deletes', async () => {
    vi.stubGlobal('confirm', () => true)
    onTestFinished(() => void vi.unstubAllGlobals())
    const [mine, other] = [campaign('Mirrors'), campaign('Other')]
    const deleted: unknown[] = []
    await open([], {
      'GET /campaigns': () => [200, [{ ...mine, created_by_id: user.id }, other]],
      'DELETE /campaigns/:id': ({ params }) => {
        deleted.push(params)
        return [200, { id: mine.id }]
      },
    })
    const card = await screen.findByRole('article', { name: 'Mirrors' })
    fireEvent.click(within(card).getByRole('button', { name: 'More actions' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete Campaign' }))
    await waitFor(() => expect(screen.queryByRole('article', { name: 'Mirrors' })).toBeNull())
    expect(screen.getByRole('article', { name: 'Other' })).toBeTruthy()
    expect(deleted).toEqual([{ id: mine.id }])
  })

  it('shows a toast for 3 s if loading fails, but none if only the own campaigns fail', async () => {
    const { toasts } = await open([], {
      'GET /campaigns': () => [404, { detail: 'Not found' }],
      'GET /campaigns/my': () => [404, { detail: 'Not found' }],
    })
    await screen.findByRole('button', { name: 'Retry' })
    expect(toasts).toEqual([
      { title: 'Error', description: 'Failed to load campaigns', status: 'error', duration: 3_000 },
    ])
  })

  it('shows the server’s detail if a campaign is rejected, and keeps the entered text', async () => {
    const { toasts } = await open([], {
      'POST /campaigns': () => [422, { detail: ['name: too long', 'no'] }],
    })
    fireEvent.click(await screen.findByRole('button', { name: 'Create Campaign' }))
    const dialog = await screen.findByRole('dialog')
    const name = within(dialog).getByLabelText(/^Campaign Name/) as HTMLInputElement
    fireEvent.change(name, { target: { value: 'Mirrors' } })
    fireEvent.submit(name)
    await waitFor(() =>
      expect(toasts).toEqual([
        { title: 'Error', description: 'name: too long, no', status: 'error', duration: 3_000 },
      ]),
    )
    expect(name.value).toBe('Mirrors')
  })
})

describe('the details', () => {
  const opened = async (detail: CampaignDetail, routes: Routes = {}) => {
    const section = await open(
      [detail],
      { 'GET /campaigns/:id': () => [200, detail], ...routes },
      `/${detail.id}`,
    )
    return { ...section, dialog: await screen.findByRole('dialog', { name: nameOf(detail) }) }
  }

  it('show the creator and the date, and a menu only to the creator', async () => {
    const detail = { ...campaign('Mirrors'), iods: [] }
    const { dialog } = await opened(detail)
    expect(dialog.textContent).toContain('Created by bo on Nov 20, 2026')
    expect(within(dialog).queryByRole('button', { name: 'More actions' })).toBeNull()
    const own = await opened(detail, {
      'GET /campaigns/:id': () => [200, { ...detail, created_by_id: user.id }],
    })
    expect(within(own.dialog).getByRole('button', { name: 'More actions' })).toBeTruthy()
  })

  it('show an error if the IODs cannot be read, and disable the export', async () => {
    const { dialog } = await opened({ ...campaign('Mirrors', { iod_count: 3 }), iods: [] })
    await within(dialog).findByText(/The IODs of this campaign can’t be shown right now/)
    expect(within(dialog).queryByText('No IODs in this campaign yet')).toBeNull()
    expect(within(dialog).getByRole('region', { name: 'Statistics' }).textContent).toContain('Total IODs3')
    expect((within(dialog).getByRole('button', { name: 'Export JSON' }) as HTMLButtonElement).disabled).toBe(
      true,
    )
    expect(within(dialog).getByText('No description provided')).toBeDefined()
  })

  it('show how many of the votes are independent, and label both sides of the bar', async () => {
    const votes = (n: number, type: 'POSITIVE' | 'NEGATIVE') =>
      Array.from({ length: n }, (_, at) => aVote(`${type}${at}`, type))
    const iods = [iod('ring', { votes: votes(12, 'POSITIVE') }), iod('few', { votes: votes(2, 'NEGATIVE') })]
    const worth = (pro: number, against: number) => ({ for: pro, against, confidence: 0.4, reason: 'why' })
    const { dialog } = await opened(
      { ...campaign('Mirrors', { iod_count: 2 }), iods },
      { 'POST /iods/consensus': [200, { [iods[0]!.id]: worth(3.1, 0), [iods[1]!.id]: worth(0, 2) }] },
    )
    const legend =
      'Left: votes against. Right: votes for. Only about 5 of 14 votes are independent. The pale votes come from accounts that often vote together.'
    await within(dialog).findByText(legend)
    const bar = within(dialog).getByRole('img', { name: 'Votes: 2 negative, 12 positive' })
    const solid = [...bar.querySelectorAll<HTMLElement>('[style]')].map(side =>
      Number.parseFloat(side.style.getPropertyValue('--solid')),
    )
    expect(solid).toEqual([100, expect.closeTo((3.1 / 12) * 100)])
  })

  it('show all votes alike if most are independent', async () => {
    const iods = [
      iod('few', { votes: [aVote('a', 'POSITIVE'), aVote('b', 'POSITIVE'), aVote('c', 'POSITIVE')] }),
    ]
    const worth = { for: 2, against: 0, confidence: 0.4, reason: 'why' }
    const { calls, dialog } = await opened(
      { ...campaign('Mirrors', { iod_count: 1 }), iods },
      { 'POST /iods/consensus': [200, { [iods[0]!.id]: worth }] },
    )
    await within(dialog).findByText('Left: votes against. Right: votes for.')
    await waitFor(() => expect(calls.some(({ route }) => route === 'POST /iods/consensus')).toBe(true))
    expect(within(dialog).queryByText(/independent/)).toBeNull()
  })

  it('show the service’s statistics while a large campaign loads, and then those of its IODs', async () => {
    const iods = Array.from({ length: 1_001 }, (_, n) => iod(`claim ${n}`, { category: n ? 'URL' : 'HASH' }))
    const detail = { ...campaign('Mirrors', { iod_count: iods.length }), iods }
    let answer = (_: CampaignDetail) => {}
    const whole = new Promise<CampaignDetail>(resolve => {
      answer = resolve
    })
    const { dialog, calls } = await opened(detail, {
      'GET /campaigns/:id': async ({ search }) => [
        200,
        search.get('limit') === '50' ? { ...detail, iods: iods.slice(0, 50) } : await whole,
      ],
      'GET /campaigns/:id/statistics': [
        200,
        {
          iod_count: 9,
          votes: 5,
          comments: 0,
          categories: { HASH: 2, URL: 5, COMPANY: 2 },
          source_types: { BLOG: 9 },
        },
      ],
    })
    const regionText = async (name: string) =>
      (await within(dialog).findByRole('region', { name })).textContent
    expect(await regionText('Categories')).toBe('CategoriesURL5COMPANY2HASH2')
    expect(await regionText('Sources')).toBe('SourcesBLOG9')
    expect(await regionText('Statistics')).toBe(
      'StatisticsTotal IODs1,001Categories3Sources1Total Votes5Total Comments0',
    )
    const save = within(dialog).getByRole('button', { name: 'Export JSON' }) as HTMLButtonElement
    expect(save.disabled).toBe(true)
    answer(detail)
    await waitFor(() => expect(save.disabled).toBe(false))
    expect(await regionText('Categories')).toBe('CategoriesURL1,000HASH1')
    expect(calls.filter(({ route }) => route.endsWith('/statistics'))).toHaveLength(1)
  })

  it('can be watched', async () => {
    const { dialog, calls } = await opened(
      { ...campaign('Mirrors'), iods: [] },
      { 'POST /watches': [201, {}] },
    )
    const watch = within(dialog).getByRole('button', { name: 'Watch' })
    await waitFor(() => expect(watch.hasAttribute('disabled')).toBe(false))
    fireEvent.click(watch)
    await waitFor(() =>
      expect(calls.find(({ route }) => route === 'POST /watches')?.body).toEqual({
        kind: 'campaign',
        subject_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      }),
    )
  })

  it('request no statistics of a campaign that loads in one request', async () => {
    const iods = [iod('one'), iod('two', { category: 'URL' })]
    const { dialog, calls } = await opened({ ...campaign('Mirrors', { iod_count: 2 }), iods })
    await within(dialog).findByRole('region', { name: 'Sources' })
    expect(calls.filter(({ route }) => route.endsWith('/statistics'))).toEqual([])
  })

  describe('of an IOD', () => {
    const details = async (routes: Routes, fields: Partial<Iod> = {}) => {
      const target = iod('Mirrors heat lakes', fields)
      const section = await opened({ ...campaign('Mirrors', { iod_count: 1 }), iods: [target] }, routes)
      fireEvent.click(await within(section.dialog).findByRole('button', { name: 'View details' }))
      return {
        ...section,
        target,
        dialog: within(await screen.findByRole('dialog', { name: 'IOD Details' })),
      }
    }

    it('link to its evidence', async () => {
      const { calls, target, dialog } = await details({
        'POST /iods/evidence/counts': ({ body }) => [200, { [(body as { ids: [string] }).ids[0]]: 2 }],
        'GET /iods/:id/evidence': [200, [], { 'X-Total-Count': '0' }],
      })
      fireEvent.click(await dialog.findByRole('button', { name: 'Evidence (2)' }))
      const drawer = await screen.findByRole('dialog', { name: 'Evidence' })
      expect(await within(drawer).findByText('No evidence yet')).toBeTruthy()
      expect(calls.find(({ route }) => route === 'GET /iods/:id/evidence')?.params.id).toBe(target.id)
    })

    it('show the reason of the weight of its votes', async () => {
      const reason = 'Only about 1 of 2 votes are independent.'
      const { dialog } = await details(
        {
          'POST /iods/consensus': ({ body }) => [
            200,
            { [(body as { ids: [string] }).ids[0]]: { for: 1, against: 0, confidence: 0.2, reason } },
          ],
        },
        { votes: [aVote('a', 'POSITIVE'), aVote('b', 'POSITIVE')] },
      )
      expect(await dialog.findByText(reason)).toBeTruthy()
    })

    it('show no evidence button without evidence', async () => {
      const { calls, dialog } = await details({})
      await waitFor(() => expect(calls.some(({ route }) => route.endsWith('/counts'))).toBe(true))
      expect(dialog.queryByRole('button', { name: /^Evidence/ })).toBeNull()
    })
  })

  it('are exported by the service, with evidence if the switch is on', async () => {
    const today = () => new Date().toISOString().slice(0, 10)
    const begun = today()
    const file = '{"iods": [{"evidence": []}]}\n'
    const saved: Promise<string>[] = []
    const createUrl = vi.spyOn(URL, 'createObjectURL').mockImplementation(content => {
      saved.push((content as Blob).text())
      return '#saved'
    })
    const { dialog, calls, toasts } = await opened(
      { ...campaign('Mirrors', { iod_count: 1 }), iods: [iod('one')] },
      { 'GET /campaigns/:id/export': () => [200, new TextEncoder().encode(file)] },
    )
    const exports = () => calls.filter(({ route }) => route.endsWith('/export'))
    fireEvent.click(within(dialog).getByRole('button', { name: 'Export JSON' }))
    await waitFor(() => expect(saved).toHaveLength(1))
    expect(exports().map(({ search }) => search.toString())).toEqual(['format=json&evidence=false'])
    fireEvent.click(within(dialog).getByRole('button', { name: 'More formats' }))
    fireEvent.click(await screen.findByRole('checkbox', { name: 'With evidence' }))
    await screen.findByRole('menuitem', { name: 'CSV, without evidence' })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Export JSON' }))
    await waitFor(() => expect(saved).toHaveLength(2))
    expect(exports()[1]?.search.toString()).toBe('format=json&evidence=true')
    fireEvent.click(screen.getByRole('checkbox', { name: 'With evidence' }))
    fireEvent.click(screen.getByRole('menuitem', { name: 'STIX 2.1 bundle' }))
    await waitFor(() => expect(exports()).toHaveLength(3))
    expect(exports()[2]?.search.toString()).toBe('format=stix&evidence=false')
    await waitFor(() => expect(saved).toHaveLength(3))
    fireEvent.click(within(dialog).getByRole('button', { name: 'More formats' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: 'STIX 2.1 bundle for OpenCTI' }))
    await waitFor(() => expect(exports()).toHaveLength(4))
    expect(exports()[3]?.search.toString()).toBe('format=stix&evidence=false&profile=opencti')
    await waitFor(() => expect(saved).toHaveLength(4))
    // The date may have changed at midnight.
    const names = [begun, today()].map(day => `Campaign data exported as campaign_mirrors_${day}.json`)
    expect(names).toContain(toasts[0]?.title)
    createUrl.mockRestore()
  })

  it('keep the IODs that were added before a failure, and leave the others selected', async () => {
    const [first, second] = [iod('first claim'), iod('second claim')]
    const detail = { ...campaign('Mirrors'), iods: [] }
    const asked: unknown[] = []
    const { iods: _, ...listed } = detail
    const { dialog, toasts } = await opened(detail, {
      'GET /campaigns/:id': () => [
        200,
        asked.length === 0 ? detail : { ...listed, iod_count: 1, iods: [first] },
      ],
      'GET /iods': () => [200, [first, second], { 'x-total-count': '2' }],
      'GET /iods/facets': () => [200, { total: 2, categories: { SENTENCE: 2 }, source_types: {} }],
      'POST /campaigns/:id/add-iod': ({ body }) => {
        asked.push(body)
        return asked.length === 1 ? [200, { ...listed, iod_count: 1 }] : [503, { detail: 'Come back later' }]
      },
    })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Add First IOD' }))
    for (const box of await screen.findAllByRole('checkbox')) fireEvent.click(box)
    await screen.findByText('2 IOD(s) selected to add')
    fireEvent.click(screen.getByRole('button', { name: 'Add 2 IOD(s)' }))
    await screen.findByText('1 IOD(s) selected to add')
    expect(asked).toEqual([{ iod_id: first.id }, { iod_id: second.id }])
    expect(toasts).toEqual([
      { title: 'Error', description: 'Come back later', status: 'error', duration: 3_000 },
    ])
    expect(await screen.findByText('Available IODs (1)')).toBeDefined()
    expect(within(dialog).getByRole('region', { name: 'Statistics' }).textContent).toContain('Total IODs1')
  })
})

test('searches the given fields, ignoring case', () => {
  const lake = campaign('Lake', { description: 'Mirrors' })
  expect(searchCampaigns([lake, campaign('Other')], ' mirr ')).toEqual([lake])
  const url = iod('A', { category: 'URL', description: 'about mirrors' })
  expect(searchMembers([url, iod('b')], 'url')).toEqual([url])
  expect(searchMembers([url], 'mirrors')).toEqual([])
  expect(searchChoices([url, iod('mirrors')], 'MIRRORS', ['URL'])).toEqual([url])
})

test('counts categories and sources in descending order', () => {
  const { categories, sources } = summarize([
    iod('a', { category: 'URL', source_type: 'BLOG' }),
    iod('b'),
    iod('c', { source_type: 'BLOG' }),
  ])
  expect(categories).toEqual([
    ['SENTENCE', 2],
    ['URL', 1],
  ])
  expect(sources).toEqual([
    ['BLOG', 2],
    ['MANUAL', 1],
  ])
})

test('names a creator by username, then by id, then as unknown', () => {
  expect(creatorOf({ created_by_username: 'bo', created_by_id: '1' })).toBe('bo')
  expect(creatorOf({ created_by_username: null, created_by_id: '1' })).toBe('1')
  expect(creatorOf({ created_by_username: null, created_by_id: '' })).toBe('Unknown')
})
