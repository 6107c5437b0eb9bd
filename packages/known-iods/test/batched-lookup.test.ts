import { type Iod, matchKey, matchKeys } from '@iodine/contracts'
import { expect, test } from 'vitest'
import { createBatchedLookup } from '../src'
import { iod } from './fixtures'

const server = (iods: Iod[]) => {
  const calls: string[][] = []
  const lookup = createBatchedLookup(async values => {
    calls.push(values)
    const keys = values.flatMap(matchKeys)
    return iods.filter(iod => keys.includes(matchKey(iod)))
  })
  return { calls, lookup }
}

test('joins concurrent look-ups into one call, and returns each its own results', async () => {
  const { calls, lookup } = server([iod('Alpha'), iod('beta')])
  const answers = await Promise.all([lookup(['alpha', 'x']), lookup(['beta', 'x']), lookup([])])
  expect(calls).toEqual([['alpha', 'x', 'beta']])
  expect(answers.map(found => found.map(({ value }) => value))).toEqual([['Alpha'], ['beta'], []])
})

test('finds a hashtag with and without its sign', async () => {
  const { lookup } = server([iod('#Lake', 'HASHTAGS'), iod('lake', 'KEYWORDS')])
  const answers = await Promise.all([lookup(['lake']), lookup(['#lake']), lookup(['x'])])
  expect(answers.map(found => found.map(({ value }) => value))).toEqual([['#Lake', 'lake'], ['#Lake'], []])
})

test('sends at most 1,000 values and less than 1 MB per call', async () => {
  const { calls, lookup } = server([iod('v2100')])
  expect(await lookup(Array.from({ length: 2_500 }, (_, index) => `v${index}`))).toHaveLength(1)
  expect(calls.map(values => values.length)).toEqual([1_000, 1_000, 500])
  await lookup(Array.from({ length: 30 }, (_, index) => `${index}${'é'.repeat(9_900)}`))
  const bytes = calls.slice(3).map(values => new TextEncoder().encode(JSON.stringify(values)).length)
  expect(Math.max(...bytes)).toBeLessThan(1_000_000)
})

test('rejects only the look-ups of a failed call', async () => {
  let fails = true
  const lookup = createBatchedLookup(async values => {
    if (values.includes('bad') && fails) throw new Error('503')
    return []
  })
  const many = Array.from({ length: 1_000 }, (_, index) => `v${index}`)
  const [first, second] = await Promise.allSettled([lookup(many), lookup(['bad'])])
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected'])
  fails = false
  expect(await lookup(['bad'])).toEqual([])
})
