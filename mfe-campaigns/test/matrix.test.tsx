import type { Campaign, CampaignDetail, CampaignTechnique, TechniqueQuote } from '@iodine/contracts'
import { matrixOf } from '@iodine/exchange/disarm'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { gridRows, nextId } from '../src/model/matrix'
import { parcel } from '../src/parcel'
import { SIDE_ROUTES } from './fixtures'

const campaign = (digit: string, name: string): Campaign => ({
  id: digit.repeat(24),
  name,
  description: '',
  created_by_id: 'b'.repeat(24),
  created_by_username: 'bo',
  created_at: '2026-11-20T10:00:00.000Z',
  iod_count: 0,
})
const MIRRORS = campaign('a', 'Mirrors')
const LAKES = campaign('c', 'Lakes')
const detail: CampaignDetail = { ...MIRRORS, iods: [] }

const technique = (id: string, quotes = 0, until: string | null = null): CampaignTechnique => ({
  id,
  by: 'b'.repeat(24),
  by_username: 'bo',
  at: '2026-11-20T12:00:00.000Z',
  until,
  quotes,
  iods: 0,
})

const quote: TechniqueQuote = {
  id: 'd'.repeat(24),
  tid: 'T0002',
  source: { kind: 'evidence', id: 'e'.repeat(24) },
  iod_id: 'f'.repeat(24),
  start: 4,
  end: 9,
  exact: 'State media <b>repeat</b> it.',
  prefix: 'So: ',
  suffix: '',
  url: 'https://example.org/a',
  by: 'b'.repeat(24),
  by_username: 'bo',
  at: '2026-11-20T12:00:00.000Z',
}

const open = async (used: CampaignTechnique[], path = `/${MIRRORS.id}`, routes: Routes = {}) => {
  let kept = used
  const section = await openSection(parcel, '/dashboard/campaigns', `/dashboard/campaigns${path}`, {
    ...SIDE_ROUTES,
    'GET /campaigns': [200, [MIRRORS, LAKES]],
    'GET /campaigns/my': [200, []],
    'GET /campaigns/:id': [200, detail],
    'GET /campaigns/techniques': [
      200,
      [
        { id: 'T0002', campaigns: 2, iods: 1, quotes: 3 },
        { id: 'T0097.100', campaigns: 1, iods: 0, quotes: 0 },
      ],
    ],
    'GET /campaigns/:id/techniques': ({ params }) => [
      200,
      params.id === LAKES.id ? [technique('T0002'), technique('T0003')] : kept,
    ],
    'GET /campaigns/:id/techniques/:tid/quotes': [200, [quote]],
    'PUT /campaigns/:id/techniques/:tid': ({ params: { tid = '' } }) => {
      kept = [...kept, technique(tid)]
      return [200, kept]
    },
    'DELETE /campaigns/:id/techniques/:tid': ({ params }) => {
      kept = kept.filter(({ id }) => id !== params.tid)
      return [200, kept]
    },
    ...routes,
  })
  if (path.startsWith(`/${MIRRORS.id}`)) fireEvent.click(await screen.findByRole('tab', { name: 'Matrix' }))
  const grid = await screen.findByRole('grid')
  const cell = (name: RegExp) => within(grid).getByRole('gridcell', { name })
  const idsOf = () =>
    within(grid)
      .queryAllByRole('gridcell')
      .map(each => each.dataset.tid)
  const changes = () =>
    section.calls
      .filter(({ route }) => /^(PUT|DELETE) /.test(route))
      .map(({ route, params }) => `${route.split(' ')[0]} ${params.tid}`)
  return { ...section, grid, cell, idsOf, changes, kept: () => kept.map(({ id }) => id) }
}

const key = (name: string, options = {}) =>
  fireEvent.keyDown(document.activeElement as Element, { key: name, ...options })
const focusedId = () => (document.activeElement as HTMLElement).dataset.tid

describe('the matrix of a campaign', () => {
  it('has a row for each tactic, and says which techniques are used, with their quotes', async () => {
    const { grid, cell, idsOf } = await open([technique('T0002', 3), technique('T0043', 0, '1.5')])
    expect(within(grid).getAllByRole('row')).toHaveLength(16)
    expect(idsOf()).toHaveLength(104)
    expect(cell(/^T0002 Facilitate State Propaganda ?, used, 3 quotes$/).textContent).toMatch(/3$/)
    expect(cell(/^T0043 Chat Apps · until 1\.5 ?, used, 0 quotes/)).toBeTruthy()
    expect(screen.getByText('2 techniques used')).toBeTruthy()
    fireEvent.click(screen.getByRole('checkbox', { name: 'Used only' }))
    await waitFor(() => expect(idsOf()).toEqual(['T0002', 'T0043']))
  })

  it('is walked by arrow keys, and folded by + and −', async () => {
    const { cell, grid, idsOf } = await open([technique('T0002')])
    const first = within(grid).getAllByRole('gridcell')[0] as HTMLElement
    expect(
      within(grid)
        .getAllByRole('gridcell')
        .filter(each => each.tabIndex === 0),
    ).toEqual([first])
    first.focus()
    key('ArrowDown')
    expect(focusedId()).toBe(idsOf()[1])
    key('ArrowRight')
    const second = within(grid).getAllByRole('row')[1] as HTMLElement
    expect(second.contains(document.activeElement)).toBe(true)
    key('End', { ctrlKey: true })
    expect(focusedId()).toBe(idsOf().at(-1))
    cell(/^T0097 /).focus()
    expect(cell(/^T0097 /).getAttribute('aria-expanded')).toBe('false')
    key('+')
    expect(cell(/^T0097 /).getAttribute('aria-expanded')).toBe('true')
    key('ArrowDown')
    expect(focusedId()).toBe('T0097.100')
    key('ArrowUp')
    key('-')
    expect(idsOf()).not.toContain('T0097.100')
    fireEvent.click(screen.getByRole('button', { name: 'Unfold all' }))
    expect(idsOf()).toHaveLength(391)
    fireEvent.click(screen.getByRole('button', { name: 'Fold all' }))
    expect(idsOf()).toHaveLength(103)
  })

  it('finds folded sub-techniques: a typed character goes to the search', async () => {
    const { grid, idsOf } = await open([])
    ;(within(grid).getAllByRole('gridcell')[0] as HTMLElement).focus()
    key('r')
    const search = screen.getByPlaceholderText('Search techniques...')
    expect(document.activeElement).toBe(search)
    fireEvent.change(search, { target: { value: 'reframe' } })
    await waitFor(() => expect(idsOf()).toEqual(['T0023', 'T0023.001']))
    fireEvent.change(search, { target: { value: '(.*' } })
    await waitFor(() => expect(idsOf()).toEqual([]))
  })

  it('adds and removes techniques by click and Space, and undoes it', async () => {
    const { cell, changes, kept } = await open([technique('T0002')])
    fireEvent.click(screen.getByRole('checkbox', { name: 'Choose' }))
    expect(cell(/^T0002 /).getAttribute('aria-selected')).toBe('true')
    fireEvent.click(cell(/^T0003 /))
    await waitFor(() => expect(kept()).toEqual(['T0002', 'T0003']))
    cell(/^T0002 /).focus()
    key(' ')
    await waitFor(() => expect(kept()).toEqual(['T0003']))
    expect(cell(/^T0002 /).getAttribute('aria-selected')).toBe('false')
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(kept()).toEqual(['T0003', 'T0002']))
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(kept()).toEqual(['T0002']))
    expect(screen.getByRole('button', { name: 'Undo' }).hasAttribute('disabled')).toBe(true)
    expect(changes()).toEqual(['PUT T0003', 'DELETE T0002', 'PUT T0002', 'DELETE T0003'])
  })

  it('rolls a choice back if the service rejects it, and says why', async () => {
    const { cell, toasts } = await open([], undefined, {
      'PUT /campaigns/:id/techniques/:tid': [413, { detail: 'This campaign has 100 techniques' }],
    })
    fireEvent.click(screen.getByRole('checkbox', { name: 'Choose' }))
    fireEvent.click(cell(/^T0003 /))
    await waitFor(() => expect(toasts.at(-1)?.description).toBe('This campaign has 100 techniques'))
    await waitFor(() => expect(cell(/^T0003 /).getAttribute('aria-selected')).toBe('false'))
  })

  it('opens a technique with its gloss, quotes, IODs and other campaigns', async () => {
    const { cell, calls } = await open([technique('T0002', 1)])
    cell(/^T0002 /).focus()
    key('Enter')
    const drawer = within(await screen.findByRole('dialog', { name: 'Technique' }))
    expect(drawer.getByText('T0002 Facilitate State Propaganda')).toBeTruthy()
    expect((await drawer.findByRole('article', { name: 'Quote' })).textContent).toContain(quote.exact)
    expect(drawer.getByRole('link', { name: quote.iod_id ?? '' })).toBeTruthy()
    const others = within(drawer.getByRole('region', { name: 'Other campaigns' }))
    expect((await others.findByRole('link', { name: 'Lakes' })).getAttribute('href')).toMatch(/c{24}$/)
    expect(others.queryByRole('link', { name: 'Mirrors' })).toBeNull()
    expect(calls.some(({ route }) => route === 'GET /campaigns/:id/techniques/:tid/quotes')).toBe(true)
    // Only who added a quote, and the campaign's creator, may delete it.
    expect(drawer.queryByRole('button', { name: 'Delete' })).toBeNull()
    fireEvent.click(drawer.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Technique' })).toBeNull())
  })

  it('offers successors of an obsolete technique, which cannot be chosen', async () => {
    let body: unknown
    const { cell } = await open([technique('T0043.001', 0, '1.5')], undefined, {
      'POST /campaigns/:id/techniques/:tid/replace': call => {
        body = call.body
        return [200, [technique('T0151.004'), technique('T0155.007')]]
      },
    })
    fireEvent.click(screen.getByRole('checkbox', { name: 'Choose' }))
    fireEvent.click(screen.getByRole('button', { name: 'Unfold all' }))
    fireEvent.click(cell(/^T0043\.001 /))
    const drawer = within(await screen.findByRole('dialog', { name: 'Technique' }))
    fireEvent.click(drawer.getByRole('button', { name: /^Replace with T0151\.004 .* and T0155\.007/ }))
    await waitFor(() => expect(body).toEqual({ with: ['T0151.004', 'T0155.007'] }))
  })
})

describe('the matrix page', () => {
  const select = (name: string, value: string) =>
    fireEvent.change(screen.getByRole('combobox', { name }), { target: { value } })
  const savedFiles = () => {
    const files: Blob[] = []
    const spy = vi.spyOn(URL, 'createObjectURL').mockImplementation(file => {
      files.push(file as Blob)
      return 'blob:'
    })
    onTestFinished(() => spy.mockRestore())
    return files
  }
  const save = async (files: Blob[], item: string) => {
    const before = files.length
    fireEvent.click(screen.getByRole('button', { name: 'Export matrix' }))
    fireEvent.click(await screen.findByRole('menuitem', { name: item }))
    await waitFor(() => expect(files).toHaveLength(before + 1))
    return (files.at(-1) as Blob).text()
  }

  it('counts campaigns, and is not changed by a click', async () => {
    const { cell, changes } = await open([], '/matrix')
    expect(cell(/^T0002 .*, used, 2 campaigns$/)).toBeTruthy()
    expect(cell(/^T0097 .*sub-techniques, 1 used$/)).toBeTruthy()
    expect(screen.queryByRole('checkbox', { name: 'Choose' })).toBeNull()
    fireEvent.click(cell(/^T0002 /))
    const drawer = within(await screen.findByRole('dialog', { name: 'Technique' }))
    expect(await drawer.findByRole('link', { name: 'Mirrors' })).toBeTruthy()
    expect(changes()).toEqual([])
  })

  it('compares two campaigns: both, one, other', async () => {
    const section = await open([technique('T0002'), technique('T0007', 0, '1.5')], '/matrix')
    await screen.findByRole('option', { name: 'Mirrors' })
    select('Campaign', MIRRORS.id)
    await screen.findByRole('combobox', { name: 'Compare with' })
    select('Compare with', LAKES.id)
    await screen.findByText('1: Mirrors')
    expect(section.search()).toBe(`?campaign=${MIRRORS.id}&with=${LAKES.id}`)
    const cell = (name: RegExp) => screen.getByRole('gridcell', { name })
    expect(cell(/^T0002 .*, Mirrors, Lakes$/).textContent).toMatch(/1\+2$/)
    expect(cell(/^T0003 .*, Lakes$/).textContent).toMatch(/2$/)
    expect(cell(/^T0007 .*, Mirrors/).textContent).toMatch(/1$/)
    const files = savedFiles()
    const layer = JSON.parse(await save(files, 'DISARM Navigator layer'))
    expect(
      layer.techniques.map((each: { techniqueID: string; score: number }) => [each.techniqueID, each.score]),
    ).toEqual([
      ['T0002', 3],
      ['T0003', 2],
    ])
    expect(await save(files, 'CSV')).toContain('T0003,Leverage Existing Narratives')
    expect(await save(files, 'Picture (SVG)')).toMatch(/^<svg .*Lakes/s)
  })
})

describe('the walk through the matrix', () => {
  it('never leaves it, whatever the key', () => {
    const rows = gridRows(matrixOf([]), { open: new Set(['T0097']), text: '' })
    const ids = rows.flatMap(({ cells }) => cells.map(({ cell }) => cell.technique.id))
    for (const id of ids)
      for (const name of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'])
        expect(ids).toContain(nextId(rows, id, name, false))
    expect(nextId(rows, ids[3], 'Home', true)).toBe(ids[0])
    expect(nextId(rows, 'T9999', 'ArrowDown', false)).toBeDefined()
    expect(nextId(rows, ids[0], 'x', false)).toBeUndefined()
    expect(nextId([], undefined, 'ArrowDown', false)).toBeUndefined()
  })
})
