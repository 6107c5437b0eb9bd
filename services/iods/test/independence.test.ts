import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  confidenceOf,
  type Dependence,
  dependence,
  groupSizes,
  independenceWeights,
  independentVoters,
} from '../src/votes/policies/independence.js'

/** Arbitrary symmetric dependences of voters 0 to size − 1. */
const matrices = fc.integer({ min: 1, max: 12 }).chain(size =>
  fc
    .array(fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })), {
      minLength: size * size,
      maxLength: size * size,
    })
    .map(values => ({
      size,
      d: (a: number, b: number) => values[Math.min(a, b) * size + Math.max(a, b)] ?? 0,
    })),
)
type Matrix = { size: number; d: (a: number, b: number) => number }
const upTo = (size: number) => Array.from({ length: size }, (_, n) => n)
const dependentOf =
  ({ size, d }: Matrix): Dependence<number> =>
  voter =>
    upTo(size).map(other => [other, d(voter, other)] as const)
const count = (matrix: Matrix) =>
  independentVoters(independenceWeights(upTo(matrix.size), dependentOf(matrix)))

const RUNS = propertyRuns(500)
const NEAR = 1e-9
/** Maximum that a voter who repeats another in everything adds: 3 − 2√2. */
const REPEATED_MAX = 3 - 2 * Math.SQRT2

describe('the number of independent voters', () => {
  it('is between 0 and the number of voters; each weight is between 0 and 1', () => {
    fc.assert(
      fc.property(matrices, matrix => {
        const weights = independenceWeights(upTo(matrix.size), dependentOf(matrix))
        for (const weight of weights.values()) {
          expect(weight).toBeGreaterThan(0)
          expect(weight).toBeLessThanOrEqual(1)
        }
        expect(count(matrix)).toBeGreaterThan(0)
        expect(count(matrix)).toBeLessThanOrEqual(matrix.size + NEAR)
      }),
      RUNS,
    )
    expect(independentVoters(independenceWeights([], () => []))).toBe(0)
  })

  it('does not depend on the order of the voters', () => {
    fc.assert(
      fc.property(matrices, matrix => {
        const { size, d } = matrix
        const turned = { size, d: (a: number, b: number) => d(size - 1 - a, size - 1 - b) }
        expect(count(turned)).toBeCloseTo(count(matrix), 9)
      }),
      RUNS,
    )
  })

  it('increases by 1 for an independent voter, and by at most 0.172 for a voter who repeats another', () => {
    fc.assert(
      fc.property(matrices, fc.nat(), (matrix, which) => {
        const { size, d } = matrix
        const before = count(matrix)
        const stranger = { size: size + 1, d: (a: number, b: number) => (a < size && b < size ? d(a, b) : 0) }
        expect(count(stranger)).toBeCloseTo(before + 1, 9)
        const original = which % size
        const same = (n: number) => (n === size ? original : n)
        const repeated = {
          size: size + 1,
          d: (a: number, b: number) => (same(a) === same(b) ? 1 : d(same(a), same(b))),
        }
        expect(count(repeated)).toBeLessThanOrEqual(before + REPEATED_MAX + NEAR)
      }),
      RUNS,
    )
  })

  it('is not halved by a joining voter, regardless of their dependences', () => {
    const largest = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 })
    fc.assert(
      fc.property(matrices, largest, (matrix, near) => {
        const { size, d } = matrix
        const joined = {
          size: size + 1,
          d: (a: number, b: number) => (Math.max(a, b) < size ? d(a, b) : (near[Math.min(a, b)] ?? 1)),
        }
        expect(count(joined)).toBeGreaterThan(count(matrix) / 2)
      }),
      RUNS,
    )
  })

  it('is at least n² / Σ d; a joining group does not lower the weight of voters independent of it', () => {
    fc.assert(
      fc.property(matrices, matrix => {
        const pairs = upTo(matrix.size).flatMap(a =>
          upTo(matrix.size).map(b => (a === b ? 1 : matrix.d(a, b))),
        )
        const sum = pairs.reduce((all, each) => all + each, 0)
        expect(count(matrix)).toBeGreaterThanOrEqual(matrix.size ** 2 / sum - NEAR)
      }),
      RUNS,
    )
    const ofTen = (a: number, b: number) => (a >= 10 && b >= 10 ? 1 : 0)
    expect(count({ size: 30, d: ofTen })).toBeCloseTo(11, 9)
  })
})

it('dependence is symmetric, 0 for one common vote, and at most 1', () => {
  fc.assert(
    fc.property(fc.nat(100), fc.nat(100), fc.nat(100), (w, a, b) => {
      const d = dependence(w, a, b)
      expect(d).toBe(dependence(w, b, a))
      expect(d).toBeGreaterThanOrEqual(0)
      expect(d).toBeLessThanOrEqual(1)
      expect(dependence(w + 1, a, b)).toBeGreaterThanOrEqual(d)
    }),
    RUNS,
  )
  expect([dependence(0, 9, 9), dependence(1, 9, 9)]).toEqual([0, 0])
  expect(dependence(42, 42, 50)).toBeCloseTo(41 / 45, 9)
})

it('groups are connected components, largest first', () => {
  const near = new Map([
    [0, [1]],
    [1, [0, 2]],
    [2, [1]],
    [5, [6]],
    [6, [5]],
  ])
  const of: Dependence<number> = voter => (near.get(voter) ?? []).map(other => [other, 0.5] as const)
  expect(groupSizes(upTo(8), of)).toEqual([3, 2])
  expect(groupSizes(upTo(8), of, 0.6)).toEqual([])
})

describe('confidence', () => {
  it('is the lower bound of Wilson’s interval', () => {
    // Newcombe, Statistics in Medicine 17 (1998), table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    expect(confidenceOf(81, 263 - 81)).toBeCloseTo(0.2553, 4)
    expect(confidenceOf(15, 148 - 15)).toBeCloseTo(0.0624, 4)
    expect(confidenceOf(0, 20)).toBe(0)
    expect(confidenceOf(1, 28)).toBeCloseTo(0.0061, 4)
    expect(confidenceOf(0, 0)).toBe(0)
  })

  it('is between 0 and the share of positive votes, and increases with them', () => {
    const votes = fc.double({ min: 0, max: 1_000, noNaN: true })
    fc.assert(
      fc.property(votes, votes, (positive, negative) => {
        const confidence = confidenceOf(positive, negative)
        expect(confidence).toBeGreaterThanOrEqual(0)
        if (positive + negative > 0)
          expect(confidence).toBeLessThanOrEqual(positive / (positive + negative) + NEAR)
        expect(confidenceOf(positive + 1, negative)).toBeGreaterThanOrEqual(confidence - NEAR)
        expect(confidenceOf(positive, negative + 1)).toBeLessThanOrEqual(confidence + NEAR)
      }),
      RUNS,
    )
  })
})
