import type { Graph, GraphMention } from '@iodine/contracts'
import { openSection, type Routes } from '@iodine/mfe-kit/testing'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { parcel } from '../src/parcel'
import type { GraphCanvas } from '../src/stage/stage'

const graph: Graph = {
  nodes: [
    { id: 'entity:moon', label: 'Moon', type: 'entity', count: 3, sources: ['https://a.example'] },
    { id: 'verb:orbits', label: 'orbits', type: 'verb', count: 2, sources: [] },
    { id: 'entity:earth', label: 'Earth', type: 'entity', count: 2, sources: [] },
  ],
  links: [
    { source: 'entity:moon', target: 'verb:orbits', type: 'subject_to_verb', count: 2, sources: [] },
    { source: 'verb:orbits', target: 'entity:earth', type: 'verb_to_object', count: 1, sources: [] },
  ],
  sources: ['https://a.example', 'notes'],
}

const PATH = '/dashboard/graph'
let section: Awaited<ReturnType<typeof openSection>>
const open = async (routes: Routes, search = '') => {
  section = await openSection(parcel, PATH, PATH + search, routes)
}

const mention: GraphMention = {
  id: 'c'.repeat(24),
  src: 'notes',
  created_at: '2026-01-02T03:04:05.000Z',
  triplets: [
    {
      id: 7,
      subject: 'Moon',
      verb: 'orbits',
      object: 'Earth',
      times: 2,
      sentence: 'The Moon orbits the Earth.',
      place: { start: 5, end: 31 },
    },
  ],
  omitted: 3,
}
const MENTIONS: Routes = { 'GET /graph/mentions': [200, [mention], { 'X-Total-Count': '1' }] }
const show = (search = '') => open({ 'GET /graph/triplets': [200, graph], ...MENTIONS }, search)
const canvas = () => screen.findByRole<GraphCanvas>('application', { name: 'Narrative triplets graph' })
const settled = async () => {
  const found = await canvas()
  await waitFor(() => expect(found.dataset.layout).toBe('settled'))
  return found
}
const click = (target: HTMLElement, { x, y }: { x: number; y: number }) => {
  const event = new MouseEvent('click', { bubbles: true })
  Object.defineProperties(event, { offsetX: { value: x }, offsetY: { value: y } })
  fireEvent(target, event)
}
const requests = () => section.calls.map(({ search }) => Object.fromEntries(search))

describe('the graph page', () => {
  it('loads the graph, shows a toast and counts it', async () => {
    await show()
    const found = await settled()
    expect(requests()).toEqual([{ limit: '5000' }])
    expect(section.toasts).toEqual([
      {
        status: 'success',
        title: 'Graph loaded',
        description: '3 nodes, 2 links',
        duration: 3000,
        position: 'top',
      },
    ])
    const badges = within(screen.getByRole('list', { name: 'Counts' })).getAllByRole('listitem')
    expect(badges.map(badge => badge.textContent)).toEqual([
      '2 entities',
      '1 verb',
      '2 sources',
      '3 total nodes',
    ])
    expect({ ...found.dataset }).toMatchObject({ nodes: '3', links: '2', drawing: 'page' })
    expect(found.nodePosition('entity:moon')).toMatchObject({ x: expect.any(Number), y: expect.any(Number) })
    expect(found.nodePosition('entity:nobody')).toBeNull()
    expect(screen.getByText('Click to select, drag to move, scroll to zoom')).toBeTruthy()
  })

  it('describes its keyboard shortcuts', async () => {
    await show()
    const found = await settled()
    const text = document.getElementById(found.getAttribute('aria-describedby') ?? '')?.textContent
    expect(text).toMatch(/arrows .* \+ .* − .* 0 .* Esc /)
  })

  it('has the specified size, and is narrower only in a narrower column', async () => {
    let column = 1920
    vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockImplementation(() => column)
    vi.spyOn(window, 'innerHeight', 'get').mockReturnValue(844)
    onTestFinished(() => void vi.restoreAllMocks())
    await show()
    const found = await settled()
    const resized = async (width: number) => {
      column = width
      fireEvent(window, new Event('resize'))
      return [found.style.width, found.style.height]
    }
    expect(await resized(1920)).toEqual(['1000px', '600px'])
    expect(await resized(700)).toEqual(['700px', '600px'])
    expect(await resized(358)).toEqual(['358px', '506px'])
    fireEvent.click(screen.getByRole('button', { name: 'Expand' }))
    expect(await resized(1920)).toEqual(['1400px', '800px'])
    expect(await resized(1092)).toEqual(['1092px', '800px'])
  })

  it('merges variants, and keeps this for its nodes’ sentences and the filters', async () => {
    await show('?canonical=true&node=entity:moon')
    await settled()
    const toggle = () => screen.getByRole<HTMLInputElement>('checkbox', { name: 'Merge variants' })
    expect(toggle().checked).toBe(true)
    await screen.findByRole('region', { name: 'Node details' })
    await waitFor(() => expect(requests()).toHaveLength(2))
    expect(requests()).toEqual([
      { canonical: 'true', limit: '5000' },
      { canonical: 'true', node: 'entity:moon', limit: '10' },
    ])
    expect(screen.getByRole('button', { name: 'Filters' })).toBeTruthy()
    fireEvent.click(toggle())
    await waitFor(() => expect(requests()).toContainEqual({ limit: '5000' }))
    expect(toggle().checked).toBe(false)
  })

  it('shows a spinner while it loads', async () => {
    await open({ 'GET /graph/triplets': () => new Promise(() => {}) })
    expect(await screen.findByText('Loading graph...')).toBeTruthy()
  })

  it('advises the user on an empty graph, and opens Narratives', async () => {
    await open({ 'GET /graph/triplets': [200, { nodes: [], links: [], sources: [] }] })
    expect(
      await screen.findByText('No data to display. Try adjusting your filters or add some narratives'),
    ).toBeTruthy()
    expect(section.toasts).toMatchObject([{ title: 'Graph loaded', description: '0 nodes, 0 links' }])
    fireEvent.click(screen.getByRole('button', { name: 'Add narratives' }))
    expect(section.path()).toBe('/dashboard/narratives')
  })

  it('shows an error, and retries', async () => {
    let works = false
    await open({
      'GET /graph/triplets': () => (works ? [200, graph] : [404, { detail: 'Not found' }]),
    })
    const retry = await screen.findByRole('button', { name: 'Retry' })
    expect(section.toasts).toEqual([
      { status: 'error', title: 'Error', description: 'Unable to load graph', duration: 5000 },
    ])
    expect(screen.getByText('Not found')).toBeTruthy()
    works = true
    fireEvent.click(retry)
    await settled()
  })

  it('refetches on Refresh, and keeps the layout of equal data', async () => {
    await open({ 'GET /graph/triplets': [200, graph] })
    const found = await settled()
    fireEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    await waitFor(() => expect(section.toasts).toHaveLength(2))
    expect(found.dataset.layout).toBe('settled')
  })
})

describe('a graph with more nodes than are shown', () => {
  const totals = { entities: 70_000, verbs: 1_234, nodes: 71_234, links: 100_000 }

  it('shows the total counts, and as many nodes as the user chooses', async () => {
    await open({ 'GET /graph/triplets': [200, { ...graph, totals }] })
    await settled()
    const counts = screen.getByRole('list', { name: 'Counts' })
    expect(counts.textContent).toBe('70,000 entities1,234 verbs2 sources71,234 total nodes')
    expect(
      screen.getByText('Showing the strongest 3 of 71,234 nodes and the strongest 2 of 100,000 links'),
    ).toBeTruthy()
    fireEvent.change(screen.getByRole('combobox', { name: 'Maximum nodes shown' }), {
      target: { value: '20000' },
    })
    await waitFor(() => expect(requests()).toEqual([{ limit: '5000' }, { limit: '20000' }]))
  })
})

describe('selection', () => {
  it('shows the clicked node with its neighbours, and clears it on the background', async () => {
    await show()
    const found = await settled()
    click(found, found.nodePosition('verb:orbits')!)
    const card = await screen.findByRole('region', { name: 'Node details' })
    expect(found.dataset.selected).toBe('verb:orbits')
    expect(within(card).getByRole('heading', { name: 'orbits' })).toBeTruthy()
    const neighbours = within(within(card).getByRole('list', { name: 'Neighbours' })).getAllByRole('button')
    expect(neighbours.map(button => button.textContent)).toEqual(['Moon2', 'Earth1'])
    fireEvent.click(neighbours[0]!)
    await waitFor(() => expect(found.dataset.selected).toBe('entity:moon'))
    click(found, { x: 1, y: 1 })
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Node details' })).toBeNull())
    expect(found.dataset.selected).toBeUndefined()
  })

  it('shows the texts of the clicked link, with the same user, days and source', async () => {
    const text = {
      id: 'n',
      src: 'notes',
      created_at: '2026-01-02T03:04:05.000Z',
      sentence: 'The Moon orbits <b>.',
      place: { start: 5, end: 25 },
    }
    let works = false
    await open(
      {
        'GET /graph/triplets': [200, graph],
        ...MENTIONS,
        'GET /graph/texts': () => (works ? [200, [text], { 'X-Total-Count': '1' }] : [503, {}]),
      },
      '?source=notes&entity=moon',
    )
    const found = await settled()
    const [from, to] = ['entity:moon', 'verb:orbits'].map(id => found.nodePosition(id)!)
    click(found, { x: (from!.x + to!.x) / 2, y: (from!.y + to!.y) / 2 })
    const card = await screen.findByRole('region', { name: 'Link details' })
    expect(within(card).getByRole('heading', { name: 'Moon → orbits' })).toBeTruthy()
    const retry = await within(card).findByRole('button', { name: 'Retry' })
    works = true
    fireEvent.click(retry)
    expect(await within(card).findByText('The Moon orbits <b>.')).toBeTruthy()
    expect(within(card).getByRole('heading', { name: 'Texts (1)' })).toBeTruthy()
    expect(section.calls.at(-1)?.route).toBe('GET /graph/texts')
    expect(requests().at(-1)).toEqual({
      source: 'notes',
      from: 'entity:moon',
      to: 'verb:orbits',
      limit: '20',
    })
    fireEvent.click(within(card).getByRole('button', { name: 'orbits' }))
    await waitFor(() => expect(found.dataset.selected).toBe('verb:orbits'))
    expect(screen.queryByRole('region', { name: 'Link details' })).toBeNull()
  })

  it('requests no texts of another user, because only the graph is public', async () => {
    const show = async (search: string) => {
      await open({ 'GET /graph/triplets': [200, graph] }, search)
      const found = await settled()
      const [from, to] = ['entity:moon', 'verb:orbits'].map(id => found.nodePosition(id)!)
      click(found, { x: (from!.x + to!.x) / 2, y: (from!.y + to!.y) / 2 })
      return screen.findByRole('region', { name: 'Link details' })
    }
    const card = await show(`?user_id=${'b'.repeat(24)}`)
    expect(within(card).getByText('Only the author can see the texts of a link.')).toBeTruthy()
    expect(within(card).queryByRole('heading', { name: /^Texts/ })).toBeNull()
    expect(section.calls.map(({ route }) => route)).not.toContain('GET /graph/texts')
  })

  it('finds a node by its label', async () => {
    await show()
    const found = await settled()
    const search = screen.getByRole('searchbox', { name: 'Find a node...' })
    fireEvent.change(search, { target: { value: 'ear' } })
    fireEvent.submit(search)
    await waitFor(() => expect(found.dataset.selected).toBe('entity:earth'))
  })

  it('lists the same nodes in a table', async () => {
    await show()
    await settled()
    fireEvent.click(screen.getByRole('radio', { name: 'Table' }))
    const rows = within(await screen.findByRole('table'))
      .getAllByRole('row')
      .slice(1)
    expect(rows.map(row => row.textContent)).toEqual([
      'Moonentity31https://a.example',
      'Earthentity21',
      'orbitsverb22',
    ])
    fireEvent.click(within(rows[1]!).getByRole('button', { name: 'Earth' }))
    expect(await screen.findByRole('region', { name: 'Node details' })).toBeTruthy()
  })
})

describe('a node', () => {
  it('lists its triplets with their sentences, which link to the narrative', async () => {
    await show('?node=entity:moon&source=notes')
    const card = await screen.findByRole('region', { name: 'Node details' })
    const triplets = await within(card).findByRole('list', { name: 'Triplets' })
    expect(within(card).getByRole('heading', { name: 'Triplets in 1 narrative' })).toBeTruthy()
    const items = within(triplets).getAllByRole('listitem')
    expect(items.map(item => item.textContent)).toEqual([
      'Moon orbits Earth ×2The Moon orbits the Earth.notes',
      'and 3 more in this narrative',
    ])
    expect(requests().find(({ node }) => node)).toEqual({ source: 'notes', node: 'entity:moon', limit: '10' })
    const sentence = within(triplets).getByRole('link', { name: 'The Moon orbits the Earth.' })
    expect(sentence.getAttribute('href')).toBe(`/dashboard/narratives/${mention.id}?start=5&end=31`)
  })

  it('of another user shows no narratives, and requests none', async () => {
    await open({ 'GET /graph/triplets': [200, graph] }, `?node=entity:moon&user_id=${'b'.repeat(24)}`)
    const card = await screen.findByRole('region', { name: 'Node details' })
    expect(within(card).getByText('Only the author can see the narratives of a node.')).toBeTruthy()
    expect(section.calls.map(({ route }) => route)).toEqual(['GET /graph/triplets'])
  })

  it('becomes an IOD', async () => {
    const bodies: unknown[] = []
    await open(
      {
        'GET /graph/triplets': [200, graph],
        ...MENTIONS,
        'POST /iods': ({ body }) => {
          bodies.push(body)
          return [201, {}]
        },
      },
      '?node=entity:moon',
    )
    fireEvent.click(await screen.findByRole('button', { name: 'Create IOD: Moon' }))
    const dialog = await screen.findByRole('dialog', { name: 'Create New IOD' })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Create IOD' }))
    await waitFor(() =>
      expect(section.toasts).toContainEqual(expect.objectContaining({ title: 'IOD created' })),
    )
    expect(bodies).toEqual([
      {
        value: 'Moon',
        category: 'KEYWORDS',
        description: 'Entity in narratives: Moon',
        source_type: 'MANUAL',
        source: 'https://a.example',
      },
    ])
  })
})

describe('the URL', () => {
  it('contains the selection and the view', async () => {
    await show()
    const found = await settled()
    click(found, found.nodePosition('verb:orbits')!)
    // The URL changes before the page: wait for the page before the next click.
    await screen.findByRole('button', { name: 'Clear selection' })
    expect(section.search()).toBe('?node=verb%3Aorbits')
    fireEvent.click(screen.getByRole('radio', { name: 'Table' }))
    await screen.findByRole('table')
    expect(section.search()).toBe('?node=verb%3Aorbits&view=table')
    fireEvent.click(screen.getByRole('button', { name: 'Clear selection' }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Clear selection' })).toBeNull())
    expect(section.search()).toBe('?view=table')
    fireEvent.click(screen.getByRole('radio', { name: 'Graph' }))
    await waitFor(() => expect(section.search()).toBe(''))
    const [from, to] = ['entity:moon', 'verb:orbits'].map(id => found.nodePosition(id)!)
    expect(section.calls.filter(({ route }) => route === 'GET /graph/triplets')).toHaveLength(1)
    expect(from).not.toEqual(to)
  })

  it('selects the named node, and ignores unknown ones', async () => {
    await show('?node=entity:earth&view=table')
    expect(await screen.findByRole('table')).toBeTruthy()
    expect(await screen.findByRole('heading', { name: 'Earth' })).toBeTruthy()
    await show('?node=entity:nobody')
    await settled()
    expect(screen.queryByRole('region', { name: 'Node details' })).toBeNull()
  })
})

describe('filters', () => {
  const openPanel = async () => {
    fireEvent.click(await screen.findByRole('button', { name: 'Filters' }))
    return screen.findByRole('form', { name: 'Filters' })
  }

  it('are stored in the URL when applied, without blank ones', async () => {
    await show()
    await settled()
    const form = await openPanel()
    const field = (name: RegExp) => within(form).getByLabelText<HTMLInputElement>(name)
    expect(field(/^User ID/).placeholder).toBe('Leave empty for the current user')
    fireEvent.change(field(/^Entity/), { target: { value: ' moon ' } })
    fireEvent.change(field(/^Verb/), { target: { value: '  ' } })
    fireEvent.change(field(/^Start date/), { target: { value: '2026-01-02T03:04' } })
    const source = within(form).getByRole<HTMLSelectElement>('combobox', { name: /^Source/ })
    expect([...source.options].map(option => [option.value, option.text])).toEqual([
      ['', 'All sources'],
      ['https://a.example', 'https://a.example'],
      ['notes', 'notes'],
    ])
    fireEvent.click(within(form).getByRole('button', { name: 'Apply filters' }))
    await waitFor(() => expect(section.search()).toBe('?start_date=2026-01-02T03%3A04&entity=moon'))
  })

  it('of the URL are sent, until Reset clears them and Apply filters requests the whole graph', async () => {
    await open({ 'GET /graph/triplets': [200, graph] }, '?source=notes&entity=moon&verb=')
    await settled()
    expect(requests()).toEqual([{ source: 'notes', entity: 'moon', limit: '5000' }])
    const form = screen.getByRole('form', { name: 'Filters' })
    const entity = within(form).getByLabelText<HTMLInputElement>(/^Entity/)
    expect(entity.value).toBe('moon')
    fireEvent.click(within(form).getByRole('button', { name: 'Reset' }))
    expect(entity.value).toBe('')
    expect(requests()).toHaveLength(1)
    fireEvent.click(within(form).getByRole('button', { name: 'Apply filters' }))
    await waitFor(() => expect(requests().slice(1)).toEqual([{ limit: '5000' }]))
    expect(section.search()).toBe('')
  })

  it('are sent again when applied unchanged', async () => {
    await show()
    await settled()
    const form = await openPanel()
    fireEvent.click(within(form).getByRole('button', { name: 'Apply filters' }))
    await waitFor(() => expect(requests()).toEqual([{ limit: '5000' }, { limit: '5000' }]))
  })
})
