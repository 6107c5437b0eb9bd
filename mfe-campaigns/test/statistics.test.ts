import { anIod, aVote } from '@iodine/test-kit/iods'
import { expect, test } from 'vitest'
import { overTime, sumVotes } from '../src/model/iods'

const created = (...times: string[]) => times.map(time => anIod({ created_at: time }))

test('counts a campaign’s IODs by day, including days without IODs', () => {
  const iods = created('2026-03-02T23:59:59.999Z', '2026-02-28T00:00:00.000Z', '2026-02-28T12:00:00.000Z')
  expect(overTime(iods)).toEqual([
    { day: '2026-02-28', values: [2] },
    { day: '2026-03-01', values: [0] },
    { day: '2026-03-02', values: [1] },
  ])
  expect(overTime([])).toEqual([])
})

test('counts long periods by month or year', () => {
  const months = overTime(created('2025-12-31T23:00:00.000Z', '2026-03-15T01:00:00.000Z'))
  expect(months.map(({ day }) => day)).toEqual(['2025-12', '2026-01', '2026-02', '2026-03'])
  expect(months.map(({ values }) => values[0])).toEqual([1, 0, 0, 1])
  const years = overTime(created('2015-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'))
  expect(years).toHaveLength(12)
})

test('sums votes by type', () => {
  const up = aVote('ann', 'POSITIVE')
  const down = aVote('ben', 'NEGATIVE')
  const iods = [anIod({ votes: [up, down] }), anIod({ votes: [up] })]
  expect(sumVotes(iods)).toEqual({ positive: 2, negative: 1 })
})
