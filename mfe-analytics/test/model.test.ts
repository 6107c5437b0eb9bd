import { describe, expect, it } from 'vitest'
import { overlapMarks, spanMarks, techniquePath } from '../src/model/campaigns'
import { changeText, largestSeries, numbersCsv, pivot } from '../src/model/chart'
import {
  ageMarks,
  hourMarks,
  noveltyMarks,
  rankingMarks,
  reachMarks,
  recordDayMarks,
} from '../src/model/collection'
import { type Controls, campaignQuery, iodQuery, readControls, writeControls } from '../src/model/controls'
import {
  agreementMarks,
  dayMarks,
  disputedMarks,
  majorityText,
  thirdVoteMarks,
  valueMarks,
} from '../src/model/indicators'
import { changeMarks, weekMarks } from '../src/model/narratives'
import { CAMPAIGNS, IODS, idOf, NARRATIVES, RECORDS, VALUES, VOTES } from './fixtures'

const NOW = Date.parse('2026-11-28T23:30:00Z')
const read = (search: string) => readControls(new URLSearchParams(search), NOW)
const USER = idOf(5)
const controlsOf = (search: string): Controls => {
  const { controls, problems } = read(search)
  expect(problems).toEqual([])
  return controls
}
const PERIOD = 'from=2026-11-01&to=2026-11-03'

describe('the controls in the address', () => {
  it('are written and read back', () => {
    const search = `tab=campaigns&${PERIOD}&zone=Europe%2FParis&compare=true&campaign=${idOf(1)}&category=URL&category=HASH&source_type=BLOG&source=blog&mine=true`
    expect(writeControls(controlsOf(search)).toString()).toBe(search)
    expect(writeControls(controlsOf('')).toString()).toBe('')
    expect(writeControls(controlsOf('days=365')).toString()).toBe('days=365')
  })

  it('end today in the chosen zone', () => {
    expect(controlsOf('')).toMatchObject({ from: '2026-10-30', to: '2026-11-28', days: 30 })
    expect(controlsOf('zone=Asia/Tokyo&days=7')).toMatchObject({ from: '2026-11-23', to: '2026-11-29' })
  })

  it.each([
    ['from=2026-11-03&to=2026-11-01', 'The first day of the period is after its last day.'],
    ['from=1926-01-01&to=2026-01-01', 'A period has at most 400 days.'],
    ['from=2026-02-30&to=2026-03-01', 'Choose the first and the last day'],
    ['to=2026-03-01', 'Choose the first and the last day'],
    ['days=31', '“31” is no period.'],
    ['zone=Mars/Base', '“Mars/Base” is no time zone.'],
    ['category=NOPE', '“NOPE” is no category or source'],
    ['campaign=%3Cb%3E', '“<b>” is no campaign'],
  ])('%s: the rest stays, and a message says why', (search, problem) => {
    const { controls, problems } = read(`${search}&compare=true&source_type=BLOG`)
    expect(problems.join()).toContain(problem)
    expect(problems).toHaveLength(1)
    expect(controls).toMatchObject({ to: '2026-11-28', zone: 'UTC', compare: true, sourceTypes: ['BLOG'] })
  })

  it('are the query of each analysis', () => {
    const controls = controlsOf(`${PERIOD}&category=URL&mine=true&campaign=${idOf(1)}`)
    const period = { from: '2026-11-01', to: '2026-11-03', zone: 'UTC', compare: 'false' }
    expect(iodQuery(controls)).toEqual({
      ...period,
      category: ['URL'],
      source: [],
      campaign: idOf(1),
      mine: 'true',
    })
    expect(campaignQuery(controls)).toEqual({ ...period, campaign: [idOf(1)], mine: 'true' })
  })
})

describe('the link of a mark has the filters of the chart', () => {
  const controls = controlsOf(`${PERIOD}&zone=Europe/Paris&source_type=BLOG&mine=true&campaign=${idOf(1)}`)
  const ALL = `source_type=BLOG&created_by=${USER}&campaign=${idOf(1)}&from=2026-11-01&to=2026-11-03&zone=Europe%2FParis`

  it('for IODs', () => {
    const { marks, series } = dayMarks(IODS, 'categories', controls, USER)
    expect(series).toEqual(['URL', 'HASH'])
    expect(marks.map(({ key, series, n }) => [key, series, n])).toEqual([
      ['2026-11-01', 'URL', 2],
      ['2026-11-01', 'HASH', 1],
      ['2026-11-03', 'URL', 6],
    ])
    expect(marks[1]).toMatchObject({
      text: '2026-11-01, HASH: 1 IOD',
      to: `/dashboard/iods?category=HASH&${ALL.replace('11-03', '11-01')}`,
    })
    const [domains] = VALUES
    expect(domains && valueMarks(domains, controls, USER)).toMatchObject([
      { n: 5, change: '+3', to: `/dashboard/iods?${ALL}&domain=example.org` },
    ])
    expect(agreementMarks(VOTES, controls, USER)[1]?.to).toBe(`/dashboard/iods?${ALL}&agreement=disputed`)
    expect(thirdVoteMarks(VOTES, controls, USER)[0]?.to).toBe(`/dashboard/iods?${ALL}&third_vote=never`)
    expect(disputedMarks(VOTES).map(({ n, to }) => [n, to])).toEqual([
      [3, `/dashboard/iods/${idOf(7)}?votes=POSITIVE`],
      [2, `/dashboard/iods/${idOf(7)}?votes=NEGATIVE`],
    ])
  })

  it('for records: the tab with most of them', () => {
    const days = 'from=2026-11-01&to=2026-11-03&zone=Europe%2FParis'
    const links = (marks: readonly { to: string }[]) => marks.map(({ to }) => to)
    expect(links(recordDayMarks(RECORDS, controls))).toEqual([
      '/dashboard/data?from=2026-11-01&to=2026-11-01&zone=Europe%2FParis&source=tiktok',
      '/dashboard/data?from=2026-11-01&to=2026-11-01&zone=Europe%2FParis&source=telegram',
    ])
    expect(links(hourMarks(RECORDS, controls))).toEqual([
      `/dashboard/data?${days}&source=telegram&weekday=6&hour=9`,
    ])
    expect(links(rankingMarks(RECORDS, 'accounts', controls))).toEqual([
      `/dashboard/data?${days}&source=telegram&account=ada`,
    ])
    expect(links(ageMarks(RECORDS, controls))).toEqual([`/dashboard/data?${days}&source=telegram&age=day`])
    expect(noveltyMarks(RECORDS, controls).map(({ key, n, to }) => [key, n, to])).toEqual([
      ['A known IOD', 1, `/dashboard/data?${days}&source=telegram&novelty=known`],
      ['No known IOD', 2, `/dashboard/data?${days}&source=tiktok&novelty=new`],
      ['No known IOD', 2, `/dashboard/data?${days}&source=telegram&novelty=new`],
    ])
    expect(links(reachMarks(RECORDS, controls))).toEqual([
      `/dashboard/data?${days}&source=tiktok&platform=TikTok&reach=3`,
    ])
  })

  it('for campaigns and narratives', () => {
    const plain = controlsOf(PERIOD)
    expect(overlapMarks(CAMPAIGNS, plain).map(({ key, series, to }) => [key, series, to])).toEqual([
      ['Lake', 'Lake (2)', `/dashboard/iods?campaign=${idOf(1)}&campaign=${idOf(2)}&${PERIOD}`],
      ['Lake (2)', 'Lake', `/dashboard/iods?campaign=${idOf(1)}&campaign=${idOf(2)}&${PERIOD}`],
    ])
    expect(spanMarks(CAMPAIGNS, plain).map(({ key, n, to }) => [key, n, to])).toEqual([
      ['Lake (2)', 2, `/dashboard/iods?campaign=${idOf(2)}&${PERIOD}`],
      ['Lake', 4, `/dashboard/iods?campaign=${idOf(1)}&${PERIOD}`],
    ])
    const alone = CAMPAIGNS.overlaps.map(each => ({ ...each, iods: 0 }))
    expect(overlapMarks({ ...CAMPAIGNS, overlaps: alone }, plain)).toEqual([])
    expect(techniquePath('T0043', plain)).toBe(`/dashboard/campaigns?technique=T0043&${PERIOD}`)
    expect(techniquePath('T0043', { ...plain, mine: true })).toBe(
      `/dashboard/campaigns?technique=T0043&${PERIOD}&mine=true`,
    )
    expect(weekMarks(NARRATIVES, plain).map(({ n, to }) => [n, to])).toEqual([
      [3, `/dashboard/narratives/canonical/${idOf(9)}?from=2026-11-01&to=2026-11-03`],
      [9, `/dashboard/narratives/canonical/${idOf(9)}?from=2026-11-02&to=2026-11-03`],
    ])
    expect(changeMarks(NARRATIVES, plain)[0]).toMatchObject({
      n: 14,
      to: `/dashboard/narratives/canonical/${idOf(9)}?from=2026-10-29&to=2026-11-03`,
      low: 1.4,
      high: 18,
      text: 'mirrors heat lakes: 12 sentences, 2 before; ×5, 95 % interval 1.4 to 18, a significant rise',
    })
  })
})

it('states the share of the majority', () => {
  expect(majorityText(VOTES)).toBe('55 % of votes are of the majority')
  expect(majorityText({ ...VOTES, majority_before: 0.5 })).toContain('(before: 50 %)')
  expect(majorityText({ ...VOTES, majority: null })).toBe('')
})

it('a CSV has all numbers, zeros included, and runs no formulas', () => {
  const { marks, series } = dayMarks(IODS, 'categories', controlsOf(PERIOD), USER)
  const numbers = pivot(
    marks,
    'Day',
    IODS.days.map(({ day }) => day),
    series,
  )
  expect(numbersCsv(numbers).replace('\uFEFF', '').split(/\r?\n/)).toEqual([
    'Day,URL,HASH',
    '2026-11-01,2,1',
    '2026-11-02,0,0',
    '2026-11-03,6,0',
    '',
  ])
  expect(numbersCsv({ columns: ['Value'], rows: [['=cmd|<b>']] })).not.toMatch(/\n=/)
})

it('draws the largest series, and the rest as one that opens all of them', () => {
  const counts = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`s${n}`, n + 1]))
  expect(largestSeries([counts])).toEqual({
    shown: ['s8', 's7', 's6', 's5', 's4', 's3'],
    rest: ['s2', 's1', 's0'],
  })
  expect([changeText(3, 3), changeText(1, 3), changeText(3, 0), changeText(3, null)]).toEqual([
    '±0',
    '−2',
    '+3',
    '',
  ])
})
