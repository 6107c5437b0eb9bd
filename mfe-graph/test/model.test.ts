import type { Graph, GraphLink, GraphNode } from '@iodine/contracts'
import { describe, expect, it } from 'vitest'
import { boundsOf, createNodeFinder, fitCamera, linkAt, mainBounds } from '../src/model/camera'
import { toGexf, toSvg } from '../src/model/export'
import { fromSearch, NO_FILTERS, toQuery } from '../src/model/filters'
import { createLayout } from '../src/model/layout'
import { type LayoutUpdate, runLayout } from '../src/model/layout-run'
import {
  createNetwork,
  findNodes,
  neighbourhood,
  neighboursOf,
  radiusOf,
  widthOf,
} from '../src/model/network'
import { createPainter } from '../src/model/painter'

const node = (label: string, type: GraphNode['type'] = 'entity', count = 1): GraphNode => ({
  id: `${type}:${label}`,
  label,
  type,
  count,
  sources: [],
})
const link = (source: string, target: string, count = 1): GraphLink => ({
  source,
  target,
  type: source.startsWith('verb') ? 'verb_to_object' : 'subject_to_verb',
  count,
  sources: [],
})
/** a → likes → b → sees → c, and likes → a. */
const small: Graph = {
  nodes: [node('a', 'entity', 4), node('b'), node('c'), node('likes', 'verb', 9), node('sees', 'verb')],
  links: [
    link('entity:a', 'verb:likes', 2),
    link('verb:likes', 'entity:b'),
    link('entity:b', 'verb:sees'),
    link('verb:sees', 'entity:c', 7),
    link('verb:likes', 'entity:a'),
  ],
  sources: ['one'],
}

describe('filters', () => {
  it('omit blank fields, and trim the others except the source', () => {
    expect(toQuery(NO_FILTERS)).toEqual({})
    expect(toQuery({ ...NO_FILTERS, entity: ' moon ', verb: ' \t', source: ' exact ' })).toEqual({
      entity: 'moon',
      source: ' exact ',
    })
  })

  it('are read from the URL', () => {
    const filters = { ...NO_FILTERS, source: 'a&b=c', start_date: '2026-01-02T03:04' }
    expect(fromSearch(new URLSearchParams(toQuery(filters)))).toEqual(filters)
  })
})

describe('network', () => {
  it('follows the constants for sizes', () => {
    expect([1, 4].map(radiusOf)).toEqual([8, 16])
    expect([1, 2, 3, 50].map(widthOf)).toEqual([2, 4, 6, 6])
  })

  it('is the same for data in another order, and drops links without an end', () => {
    const shuffled: Graph = {
      ...small,
      nodes: small.nodes.toReversed(),
      links: [...small.links.toReversed(), link('entity:a', 'verb:gone')],
    }
    expect(createNetwork(shuffled)).toEqual(createNetwork(small))
  })

  it('returns neighbours with counts over both directions', () => {
    const network = createNetwork(small)
    const names = (label: string) =>
      neighboursOf(network, network.indexOf.get(label) ?? -1).map(({ node: other, count }) => [
        network.labels[other],
        count,
      ])
    expect(names('verb:likes')).toEqual([
      ['a', 3],
      ['b', 1],
    ])
    expect(names('entity:c')).toEqual([['sees', 7]])
  })

  it('reaches one more link with each step', () => {
    const network = createNetwork(small)
    const reached = (depth: number) =>
      network.labels.filter(
        (_, index) => neighbourhood(network, network.indexOf.get('entity:a')!, depth)[index],
      )
    expect([0, 1, 2, 3].map(depth => reached(depth).length)).toEqual([1, 2, 3, 4])
  })

  it('separates links that join the same two nodes', () => {
    const { shape, links } = createNetwork(small)
    const moved = links.filter((_, index) => shape.offsets[index] !== 0)
    expect(moved.map(({ source, target }) => [source, target].sort())).toEqual([
      ['entity:a', 'verb:likes'],
      ['entity:a', 'verb:likes'],
    ])
  })

  it('finds any part of a label, prefix matches first', () => {
    const network = createNetwork({
      ...small,
      nodes: [node('Old port'), node('Port Authority'), node('Airport', 'entity', 9), node('Sea')],
      links: [],
    })
    expect(findNodes(network, ' PORT', 5).map(found => network.labels[found])).toEqual([
      'Port Authority',
      'Airport',
      'Old port',
    ])
    expect(findNodes(network, '  ', 5)).toEqual([])
  })
})

describe('camera', () => {
  const positions = Float32Array.of(0, 0, 100, 0, 108, 0)
  const radii = Float32Array.of(8, 8, 8)

  const at = createNodeFinder(positions, radii)

  it('hits the nearest of the nodes under the pointer, at any zoom and pan', () => {
    const camera = { x: 50, y: 20, k: 2 }
    expect(at(50 + 200, 20, camera)).toBe(1)
    expect(at(50 + 211, 20, camera)).toBe(2)
    expect(at(50 + 60, 20, camera)).toBe(-1)
    expect(at(50 + 200, 20, camera, Uint8Array.of(1, 0, 1))).toBe(2)
  })

  it('enlarges the hit area of small nodes when zoomed out', () => {
    expect(at(5, 0, { x: 0, y: 0, k: 0.01 })).toBeGreaterThanOrEqual(0)
  })

  it('hits the same node as a linear search', () => {
    let state = 1
    const random = () => {
      state = (state * 48_271) % 2_147_483_647
      return state / 2_147_483_647
    }
    const count = 500
    // Some nodes have the same position.
    const places = Float32Array.from({ length: 2 * count }, () => Math.round(random() * 400))
    const sizes = Float32Array.from({ length: count }, () => 2 + 30 * random() ** 4)
    const finder = createNodeFinder(places, sizes)
    let hits = 0
    for (let round = 0; round < 2_000; round++) {
      const camera = { x: random() * 50, y: random() * 50, k: 0.1 + random() * 2 }
      const visible = round % 3 ? null : Uint8Array.from({ length: count }, () => Number(random() < 0.5))
      const [screenX, screenY] = [random() * 400, random() * 400]
      const distance = (node: number) =>
        Math.hypot(
          places[node * 2]! - (screenX - camera.x) / camera.k,
          places[node * 2 + 1]! - (screenY - camera.y) / camera.k,
        )
      const under = Array.from(sizes.keys()).filter(
        node => (!visible || visible[node]) && distance(node) <= Math.max(sizes[node]!, 6 / camera.k),
      )
      const found = finder(screenX, screenY, camera, visible)
      expect(found >= 0).toBe(under.length > 0)
      if (found < 0) continue
      hits++
      expect(under).toContain(found)
      expect(distance(found)).toBe(Math.min(...under.map(distance)))
    }
    expect(hits).toBeGreaterThan(200)
  })

  it('hits the nearest link beside its line, not beyond its ends', () => {
    const ends = { linkCount: 2, sources: Uint32Array.of(0, 1), targets: Uint32Array.of(1, 2) }
    const camera = { x: 0, y: 0, k: 2 }
    expect(linkAt(100, 9, positions, ends, camera)).toBe(-1)
    expect(linkAt(100, -4, positions, ends, camera)).toBe(0)
    expect(linkAt(210, 3, positions, ends, camera)).toBe(1)
    expect(linkAt(-8, 0, positions, ends, camera)).toBe(-1)
    expect(linkAt(100, 0, positions, ends, camera, Uint8Array.of(0, 1, 1))).toBe(-1)
  })

  it('centres a box', () => {
    const box = boundsOf(positions, radii)
    expect(box).toEqual({ left: -8, right: 116, top: -8, bottom: 8 })
    const camera = fitCamera({ left: -1000, right: 3000, top: 0, bottom: 10 }, 1000, 600)
    expect(camera.k).toBeCloseTo(0.23)
    expect(1000 * camera.k + camera.x).toBeCloseTo(500)
    expect(boundsOf(positions, radii, new Uint8Array(3))).toBeNull()
  })

  it('leaves only far outliers out of view', () => {
    const count = 1_000
    const crowd = Float32Array.from({ length: count * 2 }, (_, index) => ((index * 7919) % 1000) - 500)
    const sizes = new Float32Array(count).fill(8)
    expect(mainBounds(crowd, sizes)).toEqual(boundsOf(crowd, sizes))
    crowd.set([90_000, 90_000], 0)
    const box = mainBounds(crowd, sizes)
    expect(box?.right).toBeLessThan(1_000)
    expect(box?.left).toBeLessThan(-450)
  })
})

describe('layout', () => {
  const { shape } = createNetwork(small)
  const settle = () =>
    new Promise<LayoutUpdate[]>(resolve => {
      const updates: LayoutUpdate[] = []
      runLayout(shape, update => {
        updates.push(update)
        if (update.type === 'positions' && update.settled) resolve(updates)
      })
    })

  it('ends the same every time, after the configured number of ticks', async () => {
    const layout = createLayout(shape)
    for (let tick = 0; tick < 300; tick++) layout.tick()
    const ends = (await Promise.all([settle(), settle()])).map(updates => updates.at(-1))
    const expected = { type: 'positions', settled: true, positions: layout.positions() }
    expect(ends).toEqual([expected, expected])
  })

  it('holds a dragged node while others move, also after the drop', { tags: 'long' }, async () => {
    let latest = new Float32Array()
    let settled = false
    const send = runLayout(shape, update => {
      if (update.type === 'positions') {
        latest = update.positions
        settled = update.settled
      }
    })
    await expect.poll(() => settled).toBe(true)
    const before = latest
    send({ type: 'drag', node: 0, x: 400, y: -300 })
    await expect.poll(() => [latest[0], latest[1]]).toEqual([400, -300])
    expect(settled).toBe(false)
    send({ type: 'drop' })
    await expect.poll(() => settled).toBe(true)
    expect([latest[0], latest[1]]).toEqual([400, -300])
    expect(Math.hypot(latest[2]! - before[2]!, latest[3]! - before[3]!)).toBeGreaterThan(10)
  })

  it('places connected nodes at the link distance', () => {
    const pair = createNetwork({
      nodes: [node('a'), node('v', 'verb')],
      links: [link('entity:a', 'verb:v')],
    })
    const layout = createLayout(pair.shape)
    for (let tick = 0; tick < 300; tick++) layout.tick()
    const [x1, y1, x2, y2] = layout.positions()
    // The charge of one pair stretches a link of 150 to about 156.
    const distance = Math.hypot(x1! - x2!, y1! - y2!)
    expect(distance).toBeGreaterThan(150)
    expect(distance).toBeLessThan(165)
  })
})

const palette = {
  nodes: ['#0000ff', '#00aa0b'],
  links: ['#999', '#f00'],
  selected: '#fa0',
  text: '#000',
  ground: '#fff',
  font: '"A B", sans-serif',
}

describe('exports', () => {
  const network = createNetwork({
    nodes: [node('R&D <"lab">\u0007'), node('says', 'verb', 3)],
    links: [link('entity:R&D <"lab">\u0007', 'verb:says', 2)],
  })
  const positions = Float32Array.of(0, 0, 150, 50)
  const parse = (text: string) => new DOMParser().parseFromString(text, 'text/xml')

  it('GEXF contains every node and link with position, size and weight', () => {
    const text = toGexf(network, positions, palette)
    const document = parse(text)
    const nodes = [...document.querySelectorAll('nodes > node')]
    expect(nodes.map(item => item.getAttribute('label'))).toEqual(['R&D <"lab">', 'says'])
    expect(document.querySelector('edges > edge')?.getAttribute('weight')).toBe('2')
    expect(text).toContain('<viz:position x="150" y="-50" z="0"/>')
    expect(text).toContain('<viz:color r="0" g="170" b="11"/>')
    expect(text).not.toContain('\u0007')
  })

  it('SVG escapes labels and fits all nodes', () => {
    const document = parse(toSvg(network, positions, palette))
    expect([...document.querySelectorAll('text')].map(item => item.textContent)).toEqual([
      'R&D <"lab">',
      'says',
    ])
    const [left, top, width, height] = document
      .querySelector('svg')!
      .getAttribute('viewBox')!
      .split(' ')
      .map(Number) as [number, number, number, number]
    expect([left, top]).toEqual([-48, -48])
    expect(left + width).toBeGreaterThan(150 + radiusOf(3))
    expect(top + height).toBeGreaterThan(50 + radiusOf(3))
  })
})

describe('labels', () => {
  it('never overlap, are placed by priority, and are limited in number', () => {
    const count = 6_000
    const nodes = Array.from({ length: count }, (_, n) => node(`Node ${n}`, 'entity', 1 + (n % 50)))
    const network = createNetwork({ nodes, links: [] })
    const side = 100
    const positions = Float32Array.from({ length: 2 * count }, (_, at) =>
      at % 2 ? 8 * Math.floor((at >> 1) / side) : 10 * ((at >> 1) % side),
    )
    const drawn: { text: string; x: number; y: number }[] = []
    let measured = 0
    const context = new Proxy({} as Record<string, unknown>, {
      get: (target, name) => {
        if (name === 'measureText')
          return (text: string) => {
            measured++
            return { width: 6 * text.length }
          }
        if (name === 'fillText') return (text: string, x: number, y: number) => drawn.push({ text, x, y })
        if (name in target) return target[name as string]
        return () => {}
      },
      set: (target, name, value) => {
        target[name as string] = value
        return true
      },
    }) as unknown as CanvasRenderingContext2D
    createPainter(network, palette).names(context, positions, {
      width: 1000,
      height: 600,
      pixelRatio: 1,
      camera: { x: 0, y: 0, k: 0.3 },
      selected: -1,
      hovered: -1,
      selectedLink: -1,
      version: 0,
      visible: null,
      pinned: [],
    })
    expect(drawn.length).toBeGreaterThan(5)
    expect(drawn.length).toBeLessThanOrEqual(400)
    expect(measured).toBeLessThanOrEqual(1_600)
    const order = Array.from(network.ranking, each => network.labels[each])
    const ranks = drawn.map(({ text }) => order.indexOf(text))
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
    for (const [index, a] of drawn.entries())
      for (const b of drawn.slice(index + 1)) {
        const across = Math.abs(a.x - b.x) < 3 * (a.text.length + b.text.length)
        expect(across && Math.abs(a.y - b.y) < 12, `${a.text} over ${b.text}`).toBe(false)
      }
  })
})
