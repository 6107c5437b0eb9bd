import type { CampaignDetail, CampaignImport, CampaignSharing, KeptObjects } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { anIod } from '@iodine/test-kit/iods'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { parcel } from '../src/parcel'
import { ASIDE } from './fixtures'

// happy-dom has no layout: a table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 600 })

const ID = 'a'.repeat(24)
const detail: CampaignDetail = {
  id: ID,
  name: 'Mirrors',
  description: '',
  created_by_id: 'f'.repeat(24),
  created_by_username: 'ana',
  created_at: '2026-11-20T10:00:00.000Z',
  iod_count: 1,
  iods: [anIod({ value: 'Giant mirrors' })],
}
const planned: CampaignImport = {
  id: 'b'.repeat(24),
  campaign_id: ID,
  format: 'stix',
  state: 'planned',
  problem: null,
  bytes: 5_000,
  objects: 59,
  done: 0,
  iods: 41,
  known_iods: 3,
  member_iods: 1,
  refused: 2,
  skipped: 0,
  invalid: [{ place: 'Object 7', value: '', reason: 'The value is missing' }],
  techniques: 0,
  unknown_techniques: [],
  quotes: 0,
  refused_quotes: 0,
  evidence: { added: 0, known: 0, left_out: 0 },
  tlp: 'amber',
  created_at: '2026-11-20T10:00:00.000Z',
}
const nothing: KeptObjects = { objects: 0, bytes: 0, withheld: 0, types: [], imports: [] }
const BUNDLE = { type: 'bundle', objects: [{ type: 'malware', id: 'malware--1' }] }

const open = async (routes: Routes = {}, id?: string) => {
  const section = await openSection(
    parcel,
    '/dashboard/campaigns',
    `/dashboard/campaigns/${ID}`,
    {
      'GET /campaigns': () => [200, [detail]],
      'GET /campaigns/my': () => [200, []],
      'GET /campaigns/:id': () => [200, detail],
      ...ASIDE,
      'POST /iods/consensus': [200, {}],
      'POST /iods/evidence/counts': [200, {}],
      ...routes,
    },
    { ...(id && { id }) },
  )
  return { ...section, dialog: within(await screen.findByRole('dialog', { name: 'Mirrors' })) }
}
const press = async (name: string | RegExp, where = screen as Pick<typeof screen, 'findByRole'>) =>
  fireEvent.click(await where.findByRole('button', { name }))
const choose = async (file: object) => {
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Import' }).hasAttribute('disabled')).toBe(false),
  )
  await press('Import')
  const importing = await screen.findByRole('dialog', { name: 'Import IODs' })
  const input = importing.querySelector('input[type=file]') as HTMLInputElement
  fireEvent.change(input, { target: { files: [new File([JSON.stringify(file)], 'theirs.json')] } })
  return within(importing)
}

describe('a file', () => {
  const routes = (states: Partial<CampaignImport>[], asked: unknown[] = []): Routes => ({
    'POST /campaigns/imports': ({ search }) => {
      asked.push(search.toString())
      return [202, { id: planned.id }]
    },
    'GET /campaigns/imports/:id': () => [200, { ...planned, ...states.shift() }],
    'POST /campaigns/imports/:id/apply': ({ body }) => {
      asked.push(body)
      return [202, { ...planned, state: 'applying', done: 10 }]
    },
    'DELETE /campaigns/imports/:id': () => {
      asked.push('discarded')
      return [200, { id: planned.id }]
    },
  })

  it('is planned by the server, shown, then applied', async () => {
    const asked: unknown[] = []
    const { toasts } = await open(routes([{ state: 'planning' }, {}, { state: 'done', done: 59 }], asked))
    const dialog = await choose(BUNDLE)
    expect((await dialog.findByText(/^41 IOD\(s\), 18 object\(s\) kept as they are/)).textContent).toContain(
      'TLP:AMBER',
    )
    expect(dialog.getByText(/^38 new, 3 known \(1 already in this campaign\)/)).toBeTruthy()
    expect(dialog.getByRole('row', { name: /^Object 7 .*The value is missing$/ })).toBeTruthy()
    expect(dialog.getByText(/^2 indicator\(s\) whose value/)).toBeTruthy()
    await press('Import 59 object(s)', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
    expect(toasts.at(-1)).toMatchObject({ title: '59 object(s) imported', status: 'success' })
    expect(asked).toEqual([`campaign_id=${ID}&format=stix`, { iods: true }])
  })

  it('may be kept without IODs', async () => {
    const asked: unknown[] = []
    await open(routes([{}, { state: 'done' }], asked))
    const dialog = await choose(BUNDLE)
    fireEvent.click(await dialog.findByLabelText('Create IODs of indicators with a single value'))
    await dialog.findByText(/^0 IOD\(s\), 59 object\(s\) kept as they are/)
    await press('Import 59 object(s)', dialog)
    await waitFor(() => expect(asked).toContainEqual({ iods: false }))
  })

  it('that stops says why, and goes on', async () => {
    const asked: unknown[] = []
    const stopped = { state: 'failed', done: 40, problem: 'You created 500 of 500 IODs a day' } as const
    await open(routes([{}, stopped, { state: 'done', done: 59 }], asked))
    const dialog = await choose(BUNDLE)
    await press('Import 59 object(s)', dialog)
    expect((await dialog.findByRole('alert')).textContent).toBe(
      'You created 500 of 500 IODs a day. 40 of 59 objects are imported; nothing is lost.',
    )
    await press('Go on', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
  })

  it('is discarded where its plan is not wanted', async () => {
    const asked: unknown[] = []
    await open(routes([{}], asked))
    const dialog = await choose(BUNDLE)
    await dialog.findByText(/^41 IOD/)
    await press('Cancel', dialog)
    await waitFor(() => expect(asked).toContain('discarded'))
  })

  it('that is planned after the dialog was closed is discarded, too', async () => {
    const asked: unknown[] = []
    await open(routes([{ state: 'planning' }, { state: 'planning' }], asked))
    const dialog = await choose(BUNDLE)
    await waitFor(() => expect(asked).toHaveLength(1))
    await press('Cancel', dialog)
    await waitFor(() => expect(asked).toContain('discarded'))
  })

  it('goes on while the service is down for a moment, and without the dialog', async () => {
    let looks = 0
    await open({
      ...routes([]),
      'GET /campaigns/imports/:id': () => {
        looks++
        if (looks === 1) return [200, planned]
        return looks === 2 ? [503, { detail: 'x' }] : [200, { ...planned, state: 'applying', done: 20 }]
      },
    })
    const dialog = await choose(BUNDLE)
    await press('Import 59 object(s)', dialog)
    await dialog.findByText('20 of 59 imported')
    const closes = await dialog.findAllByRole('button', { name: 'Close' })
    fireEvent.click(closes.at(-1) as HTMLElement)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
  })

  it('of our own shows what is new, refused, and comes along, and says what became of its evidence', async () => {
    const own: Partial<CampaignImport> = {
      format: 'json',
      objects: 6,
      iods: 4,
      known_iods: 2,
      member_iods: 1,
      refused: 2,
      invalid: [
        { place: 'IOD 2', value: '<b>x</b>', reason: 'Unknown category NONSENSE' },
        { place: 'IOD 3', value: 'Mirrors', reason: 'Repeats iod 1' },
      ],
      skipped: 1,
      techniques: 2,
      unknown_techniques: ['T0019', 'T0099.001'],
      quotes: 3,
      refused_quotes: 1,
      tlp: null,
    }
    const asked: unknown[] = []
    const ended = { ...own, state: 'done', evidence: { added: 1, known: 1, left_out: 1 } } as const
    const { toasts } = await open(routes([own, ended], asked))
    const dialog = await choose({ iods: [] })
    expect((await dialog.findByText(/^4 IOD\(s\), 2 refused$/)).getAttribute('role')).toBe('status')
    expect(dialog.getByText(/^2 new, 2 known \(1 already in this campaign\)/)).toBeTruthy()
    expect(dialog.getByText('2 technique(s) of DISARM are named.')).toBeTruthy()
    expect(dialog.getByText('1 part(s) of the file can’t be read and are left out.')).toBeTruthy()
    expect(dialog.getByText(/^2 technique\(s\) are not in the list.* T0019, T0099\.001$/)).toBeTruthy()
    expect(dialog.getByText('and 1 more')).toBeTruthy()
    expect(dialog.getByText(/^3 quote\(s\) of evidence.* not verified.* 1 can’t be read\.$/)).toBeTruthy()
    expect(dialog.getByText('<b>x</b>')).toBeTruthy()
    expect(dialog.getByRole('row', { name: /^IOD 3 Mirrors Repeats iod 1$/ })).toBeTruthy()
    await press('Import 3 IOD(s)', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
    expect(toasts.map(({ title }) => title)).toEqual([
      '3 IOD(s) imported',
      'Evidence: 1 quote(s) added as not verified, 1 known, 1 left out',
    ])
    expect(asked[0]).toBe(`campaign_id=${ID}&format=json`)
  })

  it('whose IODs are all there adds nothing, or its evidence alone', async () => {
    const known = { format: 'csv', iods: 2, known_iods: 2, member_iods: 2, tlp: null } as const
    await open(routes([known, { ...known, format: 'json', quotes: 1 }]))
    const dialog = await choose({ iods: [] })
    const none = await dialog.findByRole('button', { name: 'Import 0 IOD(s)' })
    await dialog.findByText(/^0 new, 2 known/)
    expect(none.hasAttribute('disabled')).toBe(true)
    const input = document.querySelector('input[type=file]') as HTMLInputElement
    fireEvent.change(input, { target: { files: [new File(['{"iods":[]}'], 'again.json')] } })
    const evidence = await dialog.findByRole('button', { name: 'Import evidence' })
    await waitFor(() => expect(evidence.hasAttribute('disabled')).toBe(false))
  })

  it('that the server refuses says so', async () => {
    await open({
      'POST /campaigns/imports': () => [422, { detail: ['Object 1 of the file is not valid JSON.'] }],
    })
    const dialog = await choose(BUNDLE)
    expect((await dialog.findByRole('alert')).textContent).toBe('Object 1 of the file is not valid JSON.')
  })
})

const COLLECTION = '00000000-0000-4000-8000-000000000001'

describe('sharing', () => {
  it('shows the level to all, and lets the creator set one that is not below what was imported', async () => {
    const asked: unknown[] = []
    const routes: Routes = {
      'GET /campaigns/:id/sharing': () => [
        200,
        { tlp: 'amber', least: 'amber', published: false, feed: null },
      ],
      'PATCH /campaigns/:id/sharing': ({ body }) => {
        asked.push(body)
        return [200, { tlp: 'red', least: 'amber', published: false, feed: null }]
      },
    }
    const { dialog } = await open(routes, detail.created_by_id as string)
    const level = (await dialog.findByLabelText('Sharing level')) as HTMLSelectElement
    expect([...level.options].map(({ text }) => text)).toEqual(['TLP:AMBER', 'TLP:AMBER+STRICT', 'TLP:RED'])
    fireEvent.change(level, { target: { value: 'red' } })
    await waitFor(() => expect(level.value).toBe('red'))
    expect(asked).toEqual([{ tlp: 'red' }])
  })

  it('publishes after a question that says what it means, and withdraws after another', async () => {
    const asked: unknown[] = []
    const feed = { collection: COLLECTION, state: 'due', objects: 0, revoked: 0, at: null, problem: null }
    let sharing: CampaignSharing = { tlp: 'green', least: 'clear', published: false, feed: null }
    const routes: Routes = {
      'GET /campaigns/:id/sharing': () => [200, sharing],
      'PATCH /campaigns/:id/sharing': ({ body }) => {
        asked.push(body)
        const { published } = body as { published: boolean }
        sharing = { ...sharing, published, feed } as CampaignSharing
        return [200, sharing]
      },
    }
    const { dialog } = await open(routes, detail.created_by_id as string)
    await dialog.findByText('Giant mirrors')
    const publish = (await dialog.findByLabelText('Publish in feeds')) as HTMLInputElement
    // The level that was known before, as of another test, may be red until the campaign's is there.
    await waitFor(() => expect(publish.disabled).toBe(false))
    fireEvent.click(publish)
    const question = within(await screen.findByRole('dialog', { name: 'Publish the campaign' }))
    expect(question.getByText(/usernames of who made them/)).toBeTruthy()
    expect(asked).toEqual([])
    await press('Publish', question)
    await dialog.findByText('Being published…')
    sharing = {
      ...sharing,
      feed: { ...feed, state: 'published', objects: 1_200, at: new Date().toISOString() },
    } as CampaignSharing
    await dialog.findByText(/^1,200 object\(s\) published/)
    await press('Addresses', dialog)
    const addresses = within(await screen.findByRole('dialog', { name: 'Addresses of the feed' }))
    expect((addresses.getByLabelText('TAXII collection') as HTMLInputElement).value).toBe(COLLECTION)
    expect((addresses.getByLabelText('MISP feed') as HTMLInputElement).value).toMatch(/\/feeds\/misp\/$/)
    await press('Done', addresses)
    fireEvent.click(dialog.getByLabelText('Publish in feeds'))
    await press('Withdraw', within(await screen.findByRole('dialog', { name: 'Withdraw the campaign' })))
    await dialog.findByText('Being withdrawn…')
    expect(asked).toEqual([{ published: true }, { published: false }])
  })

  it('says why a feed is not in line, and that red is never published', async () => {
    const problem = 'What you publish takes 1 MiB of 1 MiB'
    const feed = { collection: COLLECTION, state: 'due', objects: 3, revoked: 0, at: null, problem } as const
    const { dialog } = await open(
      { 'GET /campaigns/:id/sharing': [200, { tlp: 'green', least: 'clear', published: true, feed }] },
      detail.created_by_id as string,
    )
    await dialog.findByText(problem)
  })

  it('is not another’s to set', async () => {
    const { dialog } = await open()
    await dialog.findByText('TLP:GREEN')
    expect(dialog.queryByLabelText('Sharing level')).toBeNull()
    expect(dialog.queryByLabelText('Publish in feeds')).toBeNull()
    expect(dialog.getByText('Not published in feeds.')).toBeTruthy()
  })

  it('tells what is kept, and removes an import after a question', async () => {
    const asked: string[] = []
    const one = { user_id: 'f'.repeat(24), username: 'ana', created_at: detail.created_at, objects: 1_200 }
    const kept: KeptObjects = {
      objects: 1_200,
      bytes: 5,
      withheld: 3,
      types: [
        { type: 'malware', objects: 1_199 },
        { type: '', objects: 1 },
      ],
      imports: [
        { ...one, id: 'd'.repeat(24), removable: true },
        { ...one, id: 'e'.repeat(24), user_id: null, username: null, removable: false },
      ],
    }
    const { toasts } = await open({
      'GET /campaigns/:id/kept': () => [200, asked.length > 0 ? nothing : kept],
      'DELETE /campaigns/imports/:id': ({ params }) => {
        asked.push(params.id ?? '')
        return [200, { id: 'd'.repeat(24) }]
      },
    })
    await press('Kept objects (1,200)')
    const dialog = within(await screen.findByRole('dialog', { name: 'Kept objects' }))
    expect(dialog.getByText(/3 are left out of it/)).toBeTruthy()
    expect(dialog.getByText('without a type')).toBeTruthy()
    expect(dialog.getAllByRole('button', { name: 'Remove' })).toHaveLength(1)
    await press('Remove', dialog)
    const question = within(await screen.findByRole('dialog', { name: 'Remove imported objects' }))
    await press('Remove', question)
    await waitFor(() => expect(toasts.at(-1)).toMatchObject({ title: 'Imported objects removed' }))
    expect(asked).toEqual(['d'.repeat(24)])
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Kept objects/ })).toBeNull())
  })
})
