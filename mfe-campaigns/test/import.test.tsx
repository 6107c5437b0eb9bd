import type { CampaignDetail, CampaignImport, CampaignSharing, ImportedObjects } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { anIod } from '@iodine/test-kit/iods'
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parcel } from '../src/parcel'
import { SIDE_ROUTES } from './fixtures'

// happy-dom has no layout: a table's frame needs a height, so that some rows fit.
Object.defineProperty(HTMLElement.prototype, 'clientHeight', { get: () => 600 })
Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 600 })

const ID = 'a'.repeat(24)
const detail: CampaignDetail = {
  id: ID,
  name: 'Mirrors',
  description: '',
  created_by_id: 'c'.repeat(24),
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
  comments: 0,
  refused_comments: 0,
  discussion: { added: 0, known: 0, left_out: 0 },
  tlp: 'amber',
  created_at: '2026-11-20T10:00:00.000Z',
}
const nothing: ImportedObjects = { objects: 0, bytes: 0, withheld: 0, types: [], imports: [] }
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
      ...SIDE_ROUTES,
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
  const routes = (states: Partial<CampaignImport>[], requests: unknown[] = []): Routes => ({
    'POST /campaigns/imports': ({ search }) => {
      requests.push(search.toString())
      return [202, { id: planned.id }]
    },
    'GET /campaigns/imports/:id': () => [200, { ...planned, ...states.shift() }],
    'POST /campaigns/imports/:id/apply': ({ body }) => {
      requests.push(body)
      return [202, { ...planned, state: 'applying', done: 10 }]
    },
    'DELETE /campaigns/imports/:id': () => {
      requests.push('discarded')
      return [200, { id: planned.id }]
    },
  })

  it('is planned by the server, previewed, then applied', async () => {
    const requests: unknown[] = []
    const { toasts } = await open(routes([{ state: 'planning' }, {}, { state: 'done', done: 59 }], requests))
    const dialog = await choose(BUNDLE)
    expect((await dialog.findByText(/^41 IODs, 18 other objects/)).textContent).toContain('TLP:AMBER')
    expect(dialog.getByText(/^38 new, 3 existing \(1 already in this campaign\)/)).toBeTruthy()
    expect(dialog.getByRole('row', { name: /^Object 7 .*The value is missing$/ })).toBeTruthy()
    expect(dialog.getByText(/from 2 invalid indicators/)).toBeTruthy()
    await press('Import 59 objects', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
    expect(toasts.at(-1)).toMatchObject({ title: '59 objects imported', status: 'success' })
    expect(requests).toEqual([`campaign_id=${ID}&format=stix`, { iods: true }])
  })

  it('changes the open details: IODs, sharing level and imported objects', async () => {
    const requests: unknown[] = []
    const applied = () => requests.length > 1
    const imported: ImportedObjects = {
      objects: 59,
      bytes: 5_000,
      withheld: 0,
      types: [{ type: 'malware', objects: 59 }],
      imports: [
        {
          id: planned.id,
          user_id: detail.created_by_id,
          username: 'ana',
          created_at: detail.created_at,
          objects: 59,
          removable: true,
        },
      ],
    }
    const tlp = () => (applied() ? 'amber' : 'green')
    const { dialog: campaign } = await open({
      ...routes([{}, { state: 'done', done: 59 }], requests),
      'GET /campaigns/:id': () => [
        200,
        applied()
          ? { ...detail, iod_count: 2, iods: [...detail.iods, anIod({ value: 'Cold lakes' })] }
          : detail,
      ],
      'GET /campaigns/:id/sharing': () => [200, { tlp: tlp(), least: tlp(), published: false, feed: null }],
      'GET /campaigns/:id/kept': () => [200, applied() ? imported : nothing],
    })
    await campaign.findByText('Giant mirrors')
    fireEvent.click(await campaign.findByRole('tab', { name: 'Sharing' }))
    await campaign.findByText('TLP:GREEN')
    await press('Import 59 objects', await choose(BUNDLE))
    await campaign.findByText('Cold lakes')
    await campaign.findByText('TLP:AMBER')
    await campaign.findByRole('button', { name: 'Imported objects (59)' })
  })

  it('may be imported without IODs', async () => {
    const requests: unknown[] = []
    await open(routes([{}, { state: 'done' }], requests))
    const dialog = await choose(BUNDLE)
    fireEvent.click(await dialog.findByLabelText('Create IODs from indicators with a single value'))
    await dialog.findByText(/^0 IODs, 59 other objects/)
    await press('Import 59 objects', dialog)
    await waitFor(() => expect(requests).toContainEqual({ iods: false }))
  })

  it('shows why the import stopped, and continues it', async () => {
    const requests: unknown[] = []
    const stopped = { state: 'failed', done: 40, problem: 'You created 500 of 500 IODs a day' } as const
    await open(routes([{}, stopped, { state: 'done', done: 59 }], requests))
    const dialog = await choose(BUNDLE)
    await press('Import 59 objects', dialog)
    expect((await dialog.findByRole('alert')).textContent).toBe(
      'You created 500 of 500 IODs a day. 40 of 59 objects are imported. Press Continue to import the others.',
    )
    await press('Continue', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
  })

  it('is imported on the second press if the first request fails', async () => {
    const requests: unknown[] = []
    let isDown = true
    const { toasts } = await open({
      ...routes([{}, { state: 'done', done: 59 }], requests),
      'POST /campaigns/imports/:id/apply': () => {
        requests.push('applied')
        return isDown ? null : [202, { ...planned, state: 'applying' }]
      },
    })
    const dialog = await choose(BUNDLE)
    await press('Import 59 objects', dialog)
    expect((await dialog.findByRole('alert')).textContent).toBe('The file could not be imported.')
    expect(toasts).toEqual([])
    isDown = false
    await press('Import 59 objects', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
    expect(toasts.map(({ title }) => title)).toEqual(['59 objects imported'])
    expect(requests.slice(1)).toEqual(['applied', 'applied'])
  })

  it('is discarded on Cancel, and the next dialog has no file', async () => {
    const requests: unknown[] = []
    await open(routes([{}], requests))
    const dialog = await choose(BUNDLE)
    await dialog.findByText(/^41 IOD/)
    await press('Cancel', dialog)
    await waitFor(() => expect(requests).toContain('discarded'))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
    await press('Import')
    const none = await screen.findByRole('button', { name: 'Import 0 IODs' })
    expect(none.hasAttribute('disabled')).toBe(true)
  })

  it('is discarded if it is planned after the dialog was closed', async () => {
    const requests: unknown[] = []
    await open(routes([{ state: 'planning' }, { state: 'planning' }], requests))
    const dialog = await choose(BUNDLE)
    await waitFor(() => expect(requests).toHaveLength(1))
    await press('Cancel', dialog)
    await waitFor(() => expect(requests).toContain('discarded'))
  })

  it('is polled through a transient error, and continues without the dialog', async () => {
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
    await press('Import 59 objects', dialog)
    await dialog.findByText('20 of 59 imported')
    const closes = await dialog.findAllByRole('button', { name: 'Close' })
    fireEvent.click(closes.at(-1) as HTMLElement)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
  })

  it('exported by Iodine shows new and rejected entries with their evidence and techniques, and the result', async () => {
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
    const requests: unknown[] = []
    const ended = { ...own, state: 'done', evidence: { added: 1, known: 1, left_out: 1 } } as const
    const { toasts } = await open(routes([own, ended], requests))
    const dialog = await choose({ iods: [] })
    expect((await dialog.findByText(/^4 IODs, 2 rejected$/)).getAttribute('role')).toBe('status')
    expect(dialog.getByText(/^2 new, 2 existing \(1 already in this campaign\)/)).toBeTruthy()
    expect(dialog.getByText('2 DISARM techniques will be added.')).toBeTruthy()
    expect(dialog.getByText('1 part of the file cannot be read and will be left out.')).toBeTruthy()
    expect(dialog.getByText(/^2 techniques not in the DISARM list.* T0019, T0099\.001$/)).toBeTruthy()
    expect(dialog.getByText('and 1 more')).toBeTruthy()
    expect(dialog.getByText(/^3 quotes of evidence.* not verified.* 1 quote cannot be read\.$/)).toBeTruthy()
    expect(dialog.getByText('<b>x</b>')).toBeTruthy()
    expect(dialog.getByRole('row', { name: /^IOD 3 Mirrors Repeats iod 1$/ })).toBeTruthy()
    await press('Import 3 IODs', dialog)
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Import IODs' })).toBeNull())
    expect(toasts.map(({ title }) => title)).toEqual([
      '3 IODs imported',
      'Evidence: 1 quote added as not verified, 1 already known, 1 left out',
    ])
    expect(requests[0]).toBe(`campaign_id=${ID}&format=json`)
  })

  it('without new IODs adds nothing, or only its evidence', async () => {
    const known = { format: 'csv', iods: 2, known_iods: 2, member_iods: 2, tlp: null } as const
    await open(routes([known, { ...known, format: 'json', quotes: 1 }]))
    const dialog = await choose({ iods: [] })
    const none = await dialog.findByRole('button', { name: 'Import 0 IODs' })
    await dialog.findByText(/^0 new, 2 existing/)
    expect(none.hasAttribute('disabled')).toBe(true)
    const input = document.querySelector('input[type=file]') as HTMLInputElement
    fireEvent.change(input, { target: { files: [new File(['{"iods":[]}'], 'again.json')] } })
    const evidence = await dialog.findByRole('button', { name: 'Import evidence' })
    await waitFor(() => expect(evidence.hasAttribute('disabled')).toBe(false))
  })

  it('shows the error if the server rejects it, until another file is planned', async () => {
    let isBroken = true
    await open({
      ...routes([{}]),
      'POST /campaigns/imports': () =>
        isBroken ? [422, { detail: ['Object 1 of the file is not valid JSON.'] }] : [202, { id: planned.id }],
    })
    const dialog = await choose(BUNDLE)
    expect((await dialog.findByRole('alert')).textContent).toBe('Object 1 of the file is not valid JSON.')
    isBroken = false
    const input = document.querySelector('input[type=file]') as HTMLInputElement
    fireEvent.change(input, { target: { files: [new File([JSON.stringify(BUNDLE)], 'fixed.json')] } })
    await dialog.findByText(/^41 IODs/)
    expect(dialog.queryByRole('alert')).toBeNull()
  })
})

/** Interval of the requests while a feed is due. */
const LOOK_MS = 2_000
const COLLECTION = '00000000-0000-4000-8000-000000000001'

describe('sharing', () => {
  it('shows the level to all, and lets the creator set any level except those below the minimum', async () => {
    const requests: unknown[] = []
    const routes: Routes = {
      'GET /campaigns/:id/sharing': () => [
        200,
        { tlp: 'amber', least: 'amber', published: false, feed: null },
      ],
      'PATCH /campaigns/:id/sharing': ({ body }) => {
        requests.push(body)
        return [200, { tlp: 'red', least: 'amber', published: false, feed: null }]
      },
    }
    const { dialog } = await open(routes, detail.created_by_id as string)
    fireEvent.click(await dialog.findByRole('tab', { name: 'Sharing' }))
    const level = (await dialog.findByLabelText('Sharing level')) as HTMLSelectElement
    expect([...level.options].map(({ text }) => text)).toEqual(['TLP:AMBER', 'TLP:AMBER+STRICT', 'TLP:RED'])
    fireEvent.change(level, { target: { value: 'red' } })
    await waitFor(() => expect(level.value).toBe('red'))
    expect(requests).toEqual([{ tlp: 'red' }])
  })

  it('publishes and withdraws after a confirmation', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
      shouldAdvanceTime: true,
    })
    onTestFinished(() => void vi.useRealTimers())
    const nextLook = () => act(() => void vi.advanceTimersByTime(LOOK_MS))
    const requests: unknown[] = []
    const feed = { collection: COLLECTION, state: 'due', objects: 0, revoked: 0, at: null, problem: null }
    let sharing: CampaignSharing = { tlp: 'green', least: 'clear', published: false, feed: null }
    const routes: Routes = {
      'GET /campaigns/:id/sharing': () => [200, sharing],
      'PATCH /campaigns/:id/sharing': ({ body }) => {
        requests.push(body)
        const { published } = body as { published: boolean }
        sharing = { ...sharing, published, feed } as CampaignSharing
        return [200, sharing]
      },
    }
    const { dialog } = await open(routes, detail.created_by_id as string)
    await dialog.findByText('Giant mirrors')
    fireEvent.click(await dialog.findByRole('tab', { name: 'Sharing' }))
    const publish = (await dialog.findByLabelText('Publish in feeds')) as HTMLInputElement
    // The cached level of another test may be red until the campaign's level is loaded.
    await waitFor(() => expect(publish.disabled).toBe(false))
    fireEvent.click(publish)
    const question = within(await screen.findByRole('dialog', { name: 'Publish the campaign' }))
    expect(question.getByText(/with usernames/)).toBeTruthy()
    expect(requests).toEqual([])
    await press('Publish', question)
    await dialog.findByText('Publishing…')
    sharing = {
      ...sharing,
      feed: { ...feed, state: 'published', objects: 1_200, at: new Date().toISOString() },
    } as CampaignSharing
    nextLook()
    await dialog.findByText(/^1,200 objects published/)
    await press('Feed URLs', dialog)
    const addresses = within(await screen.findByRole('dialog', { name: 'Feed URLs' }))
    expect((addresses.getByLabelText('TAXII collection') as HTMLInputElement).value).toBe(COLLECTION)
    expect((addresses.getByLabelText('MISP feed') as HTMLInputElement).value).toMatch(/\/feeds\/misp\/$/)
    await press('Done', addresses)
    fireEvent.click(dialog.getByLabelText('Publish in feeds'))
    await press('Withdraw', within(await screen.findByRole('dialog', { name: 'Withdraw the campaign' })))
    await dialog.findByText('Withdrawing…')
    sharing = { ...sharing, feed: { ...feed, state: 'withdrawn', revoked: 1_200 } } as CampaignSharing
    nextLook()
    await dialog.findByText('Withdrawn. Systems that pulled it receive a revocation.')
    expect(requests).toEqual([{ published: true }, { published: false }])
  })

  it('shows why a feed is not up to date', async () => {
    const problem = 'Your published objects take 1 MiB of 1 MiB'
    const feed = { collection: COLLECTION, state: 'due', objects: 3, revoked: 0, at: null, problem } as const
    const { dialog } = await open(
      { 'GET /campaigns/:id/sharing': [200, { tlp: 'green', least: 'clear', published: true, feed }] },
      detail.created_by_id as string,
    )
    fireEvent.click(await dialog.findByRole('tab', { name: 'Sharing' }))
    await dialog.findByText(problem)
  })

  it('cannot be changed by other users', async () => {
    const { dialog } = await open()
    fireEvent.click(await dialog.findByRole('tab', { name: 'Sharing' }))
    await dialog.findByText('TLP:GREEN')
    expect(dialog.queryByLabelText('Sharing level')).toBeNull()
    expect(dialog.queryByLabelText('Publish in feeds')).toBeNull()
    expect(dialog.getByText('Not published in feeds.')).toBeTruthy()
  })

  it('lists imported objects, and removes an import after a confirmation', async () => {
    const requests: string[] = []
    const one = { user_id: 'f'.repeat(24), username: 'ana', created_at: detail.created_at, objects: 1_200 }
    const kept: ImportedObjects = {
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
    const { toasts, dialog: campaign } = await open({
      'GET /campaigns/:id/kept': () => [200, requests.length > 0 ? nothing : kept],
      'DELETE /campaigns/imports/:id': ({ params }) => {
        requests.push(params.id ?? '')
        return [200, { id: 'd'.repeat(24) }]
      },
    })
    fireEvent.click(await campaign.findByRole('tab', { name: 'Sharing' }))
    await press('Imported objects (1,200)')
    const dialog = within(await screen.findByRole('dialog', { name: 'Imported objects' }))
    expect(dialog.getByText(/leave 3 out/)).toBeTruthy()
    expect(dialog.getByText('without a type')).toBeTruthy()
    expect(dialog.getAllByRole('button', { name: 'Remove' })).toHaveLength(1)
    await press('Remove', dialog)
    const question = within(await screen.findByRole('dialog', { name: 'Remove imported objects' }))
    await press('Remove', question)
    await waitFor(() => expect(toasts.at(-1)).toMatchObject({ title: 'Imported objects removed' }))
    expect(requests).toEqual(['d'.repeat(24)])
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Imported objects/ })).toBeNull())
  })
})
