import { forceManyBody } from 'd3'
import { describe, expect, it } from 'vitest'
import { createCharge } from '../src/model/charge'

const STRENGTH = -800
/** Relative to the root mean square force. The error of d3-force's own tree is measured too. */
const TOLERANCE = 0.05

function random(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const clouds = {
  'an even cloud': (next: () => number) => [next() * 2_000, next() * 2_000],
  'clusters of very different density': (next: () => number) => {
    const cluster = Math.floor(next() * 5)
    const spread = 10 ** (cluster - 1)
    return [cluster * 700 + next() * spread, (cluster % 2) * 900 + next() * spread]
  },
  'a line': (next: () => number) => [next() * 5_000, 0],
}

function bodiesOf(place: (next: () => number) => number[], count: number) {
  const next = random(count)
  const x = new Float64Array(count)
  const y = new Float64Array(count)
  for (let body = 0; body < count; body++) [x[body], y[body]] = place(next) as [number, number]
  return { x, y }
}

/** Returns the exact forces of all pairs, with d3-force's rule for short distances. */
function exact(x: Float64Array, y: Float64Array) {
  const force = { x: new Float64Array(x.length), y: new Float64Array(x.length) }
  for (let a = 0; a < x.length; a++) {
    for (let b = 0; b < x.length; b++) {
      if (a === b) continue
      const dx = x[b]! - x[a]!
      const dy = y[b]! - y[a]!
      const distance2 = dx * dx + dy * dy
      const pull = STRENGTH / (distance2 < 1 ? Math.sqrt(distance2) : distance2)
      force.x[a]! += dx * pull
      force.y[a]! += dy * pull
    }
  }
  return force
}

function ours(x: Float64Array, y: Float64Array, theta?: number) {
  const force = { x: new Float64Array(x.length), y: new Float64Array(x.length) }
  createCharge(x.length, { strength: STRENGTH, theta })(x, y, force.x, force.y, 1)
  return force
}

function theirs(x: Float64Array, y: Float64Array) {
  const nodes = Array.from(x, (value, index) => ({ index, x: value, y: y[index]!, vx: 0, vy: 0 }))
  const force = forceManyBody().strength(STRENGTH)
  force.initialize?.(nodes, () => 0.5)
  force(1)
  return { x: Float64Array.from(nodes, node => node.vx), y: Float64Array.from(nodes, node => node.vy) }
}

/** Returns the root mean square error divided by the root mean square force. */
function error(got: ReturnType<typeof exact>, want: ReturnType<typeof exact>): number {
  let wrong = 0
  let whole = 0
  for (let body = 0; body < want.x.length; body++) {
    wrong += (got.x[body]! - want.x[body]!) ** 2 + (got.y[body]! - want.y[body]!) ** 2
    whole += want.x[body]! ** 2 + want.y[body]! ** 2
  }
  return Math.sqrt(wrong / whole)
}

describe('charge', () => {
  for (const [name, place] of Object.entries(clouds)) {
    it(`is as close to the exact force of all pairs as d3-force, or closer: ${name}`, () => {
      const { x, y } = bodiesOf(place, 1_500)
      const want = exact(x, y)
      const off = error(ours(x, y), want)
      expect(off).toBeLessThan(TOLERANCE)
      expect(off).toBeLessThanOrEqual(error(theirs(x, y), want))
    })

    it(`is exact with theta 0: ${name}`, () => {
      const { x, y } = bodiesOf(place, 400)
      expect(error(ours(x, y, 0), exact(x, y))).toBeLessThan(1e-9)
    })
  }

  it('pushes bodies at the same position apart, in opposite directions', () => {
    const x = new Float64Array(30).fill(5)
    const y = new Float64Array(30).fill(7)
    const force = ours(x, y)
    expect(force.x.every(Number.isFinite)).toBe(true)
    expect(new Set(force.x).size).toBeGreaterThan(10)
    expect(force.x.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6)
  })

  it('adds to the given velocities, in proportion to alpha', () => {
    const velocity = { x: new Float64Array([1, 1]), y: new Float64Array(2) }
    createCharge(2, { strength: -10 })(
      new Float64Array([0, 5]),
      new Float64Array(2),
      velocity.x,
      velocity.y,
      0.5,
    )
    expect([...velocity.x]).toEqual([0, 2])
  })
})
