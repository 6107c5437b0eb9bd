import type { CampaignDetail, CampaignTechnique } from '@iodine/contracts'
import { TECHNIQUES } from '@iodine/exchange/disarm'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, test } from 'vitest'
import { searchTechniques } from '../src/model/techniques'
import { parcel } from '../src/parcel'
import { SIDE_ROUTES } from './fixtures'

const detail: CampaignDetail = {
  id: 'a'.repeat(24),
  name: 'Mirrors',
  description: '',
  created_by_id: 'b'.repeat(24),
  created_by_username: 'bo',
  created_at: '2026-11-20T10:00:00.000Z',
  iod_count: 0,
  iods: [],
}

const technique = (id: string, by_username: string | null = 'bo'): CampaignTechnique => ({
  id,
  by: by_username && 'b'.repeat(24),
  by_username,
  at: '2026-11-20T12:00:00.000Z',
  until: null,
  quotes: 0,
  iods: 0,
})

/** Opens the campaign's page with a service that stores its techniques. */
const open = async (ids: string[], routes: Routes = {}) => {
  let kept = ids.map(id => technique(id))
  const section = await openSection(parcel, '/dashboard/campaigns', `/dashboard/campaigns/${detail.id}`, {
    'GET /campaigns': () => [200, []],
    'GET /campaigns/my': () => [200, []],
    'GET /campaigns/:id': () => [200, detail],
    ...SIDE_ROUTES,
    'GET /campaigns/:id/techniques': () => [200, kept],
    'PUT /campaigns/:id/techniques/:tid': ({ params: { tid = '' } }) => {
      kept = [...kept.filter(({ id }) => id !== tid), technique(tid, 'ada')]
      return [200, kept]
    },
    'DELETE /campaigns/:id/techniques/:tid': ({ params }) => {
      kept = kept.filter(({ id }) => id !== params.tid)
      return [200, kept]
    },
    ...routes,
  })
  fireEvent.click(await screen.findByRole('tab', { name: /^Techniques/ }))
  const block = within(await screen.findByRole('region', { name: 'Techniques' }))
  const changes = () =>
    section.calls
      .filter(({ route }) => route.endsWith('/:tid'))
      .map(({ route, params }) => `${route.split(' ')[0]} ${params.tid}`)
  return { ...section, block, changes, kept: () => kept.map(({ id }) => id) }
}
const tags = (block: Awaited<ReturnType<typeof open>>['block']) =>
  block.queryAllByRole('listitem').map(({ textContent }) => textContent)

describe('the techniques of a campaign', () => {
  it('are tags with id and title', async () => {
    const { block } = await open(['T0002', 'T0023.001'])
    await waitFor(() =>
      expect(tags(block)).toEqual(['T0002 Facilitate State Propaganda', 'T0023.001 Reframe Context']),
    )
    expect(block.getByTitle('T0002 Facilitate State Propaganda, added by bo')).toBeTruthy()
  })

  it('that are obsolete are grey, and are replaced by successors or kept', async () => {
    let body: unknown
    const { block } = await open(['T0043.001', 'T0142'], {
      'POST /campaigns/:id/techniques/:tid/replace': call => {
        body = call.body
        return [200, [technique('T0151.004'), technique('T0155.007')]]
      },
    })
    const tag = await block.findByRole('button', { name: /^T0043\.001 .* · until 1\.5/ })
    fireEvent.click(tag)
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Keep' }))
    expect(body).toBeUndefined()
    fireEvent.click(tag)
    fireEvent.click(
      await screen.findByRole('menuitem', { name: /^Replace with T0151\.004 .* and T0155\.007/ }),
    )
    await waitFor(() => expect(tags(block)[0]).toMatch(/^T0151\.004/))
    expect(body).toEqual({ with: ['T0151.004', 'T0155.007'] })
  })

  it('that the list does not contain are shown with their id', async () => {
    const { block } = await open(['T0999'])
    await block.findByRole('button', { name: 'Remove T0999' })
    expect(tags(block)).toEqual(['T0999 '])
  })

  it('show an empty state, and an error if loading fails', async () => {
    const none = await open([])
    await none.block.findByText('No techniques yet')
    let isDown = true
    const { block } = await open(['T0002'], {
      'GET /campaigns/:id/techniques': () =>
        isDown ? [404, { detail: 'Not found' }] : [200, [technique('T0002', null)]],
    })
    await block.findByText('Failed to load techniques')
    expect(block.queryByRole('button', { name: 'Choose techniques' })).toBeNull()
    isDown = false
    fireEvent.click(block.getByRole('button', { name: 'Retry' }))
    await block.findByRole('button', { name: 'Remove T0002 Facilitate State Propaganda' })
    expect(block.getByTitle('T0002 Facilitate State Propaganda')).toBeTruthy()
  })

  it('are removed by their tag, and restored by Undo', async () => {
    const { block, changes, toasts, kept } = await open(['T0002', 'T0003'])
    fireEvent.click(await block.findByRole('button', { name: 'Remove T0002 Facilitate State Propaganda' }))
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Techniques')
    await waitFor(() => expect(tags(block)).toEqual(['T0003 Leverage Existing Narratives']))
    await waitFor(() =>
      expect(toasts.at(-1)?.title).toBe('Technique removed: T0002 Facilitate State Propaganda'),
    )
    toasts.at(-1)?.action?.onClick()
    await waitFor(() => expect(kept()).toEqual(['T0003', 'T0002']))
    expect(changes()).toEqual(['DELETE T0002', 'PUT T0002'])
    expect(tags(block)).toHaveLength(2)
  })

  it('are searched and selected, each immediately', async () => {
    const { block, changes, kept } = await open(['T0002'])
    fireEvent.click(await block.findByRole('button', { name: 'Choose techniques' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Techniques of the campaign' }))
    await dialog.findByText(/^\d{3} techniques, 1 chosen$/)
    const box = (name: RegExp) => dialog.getByRole('checkbox', { name }) as HTMLInputElement
    expect(box(/^T0002 /).checked).toBe(true)
    fireEvent.change(dialog.getByPlaceholderText('Search by id, name or tactic...'), {
      target: { value: 'reframe' },
    })
    await dialog.findByText('1 technique, 1 chosen')
    fireEvent.click(box(/^T0023\.001 Reframe Context/))
    await waitFor(() => expect(box(/^T0023\.001 /).checked).toBe(true))
    fireEvent.change(dialog.getByPlaceholderText('Search by id, name or tactic...'), {
      target: { value: 't0002' },
    })
    await dialog.findByText('1 technique, 2 chosen')
    fireEvent.click(box(/^T0002 /))
    await waitFor(() => expect(kept()).toEqual(['T0023.001']))
    expect(changes()).toEqual(['PUT T0023.001', 'DELETE T0002'])
    fireEvent.change(dialog.getByPlaceholderText('Search by id, name or tactic...'), {
      target: { value: 'no such technique' },
    })
    await dialog.findByText('No techniques match your search')
    fireEvent.click(dialog.getByRole('button', { name: 'Done' }))
    await waitFor(() => expect(tags(block)).toEqual(['T0023.001 Reframe Context']))
  })

  it('of an earlier DISARM release keep their name, and cannot be chosen', async () => {
    const { block } = await open(['T0043'])
    await waitFor(() => expect(tags(block)).toEqual(['T0043 Chat Apps · until 1.5']))
    fireEvent.click(await block.findByRole('button', { name: 'Choose techniques' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Techniques of the campaign' }))
    await dialog.findByText('391 techniques, 1 chosen')
    expect(dialog.queryByRole('checkbox', { name: /^T0043/ })).toBeNull()
  })

  it('are chosen in a dialog whose search has the focus, which Done returns', async () => {
    const { block } = await open([])
    const choose = await block.findByRole('button', { name: 'Choose techniques' })
    choose.focus()
    fireEvent.click(choose)
    const dialog = within(await screen.findByRole('dialog', { name: 'Techniques of the campaign' }))
    const search = dialog.getByPlaceholderText('Search by id, name or tactic...')
    await waitFor(() => expect(document.activeElement).toBe(search))
    fireEvent.click(dialog.getByRole('button', { name: 'Done' }))
    await waitFor(() => expect(document.activeElement).toBe(choose))
    expect(screen.queryByRole('dialog', { name: 'Techniques of the campaign' })).toBeNull()
  })

  it('are rolled back if the service rejects a change, with a toast', async () => {
    const { block, toasts } = await open(['T0002'], {
      'PUT /campaigns/:id/techniques/:tid': [413, { detail: 'This campaign has 100 techniques' }],
      'DELETE /campaigns/:id/techniques/:tid': [503, { detail: 'Come back later' }],
    })
    fireEvent.click(await block.findByRole('button', { name: 'Remove T0002 Facilitate State Propaganda' }))
    await waitFor(() => expect(toasts.map(toast => toast.description)).toEqual(['Come back later']))
    await waitFor(() => expect(tags(block)).toHaveLength(1))
    fireEvent.click(block.getByRole('button', { name: 'Choose techniques' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Techniques of the campaign' }))
    const box = (await dialog.findByRole('checkbox', { name: /^T0003 / })) as HTMLInputElement
    fireEvent.click(box)
    await waitFor(() => expect(toasts.at(-1)?.description).toBe('This campaign has 100 techniques'))
    await waitFor(() => expect(box.checked).toBe(false))
  })
})

test('finds techniques by the words of their id, name and tactic, ignoring case', () => {
  const list = TECHNIQUES.filter(({ id }) => ['T0023', 'T0023.001', 'T0114'].includes(id))
  const idsOf = (text: string) => searchTechniques(list, text).map(({ id }) => id)
  expect(idsOf(' ')).toHaveLength(list.length)
  expect(idsOf('t0023.')).toEqual(['T0023.001'])
  expect(idsOf('CONTENT distort')).toEqual(['T0023'])
  expect(idsOf('CONTEXT  develop reframe')).toEqual(['T0023.001'])
  expect(idsOf('(.*')).toEqual([])
})
