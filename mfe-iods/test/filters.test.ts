import { toggled } from '@iodine/ui'
import { expect, test } from 'vitest'
import {
  analyzedChips,
  isFiltered,
  NO_FILTERS,
  readFilters,
  readPage,
  readSort,
  toQuery,
  toSearch,
  writeSearch,
} from '../src/model/filters'

test('writes filters, order and page to a URL and reads them back', () => {
  const filters = {
    q: '(a+)+$ & ?',
    categories: ['URL', 'HASH'],
    sourceTypes: ['BLOG'],
    source: 'https://b.example.org/?a=1&b=2',
    createdBy: 'ada',
    analyzed: {
      from: ['2026-11-01'],
      to: ['2026-11-02'],
      campaign: ['a'.repeat(24)],
      domain: ['example.org'],
    },
  } as const
  const search = new URLSearchParams(writeSearch(filters, { sort: 'disputed', page: 3 }).toString())
  expect(readFilters(search)).toEqual(filters)
  expect([readSort(search), readPage(search)]).toEqual(['disputed', 3])
  expect(writeSearch(NO_FILTERS).toString()).toBe('')
  expect(writeSearch(NO_FILTERS, { sort: 'created', page: 1 }).toString()).toBe('')
})

test.each([
  ['', 'created'],
  ['sort=votes', 'votes'],
  ['sort=disputed&q=x', 'disputed'],
  ['sort=Votes', 'created'],
  ['sort=toString', 'created'],
])('sorts the URL %j by %s', (search, sort) => {
  expect(readSort(new URLSearchParams(search))).toBe(sort)
})

test.each([
  ['', 1],
  ['page=0', 1],
  ['page=-4', 1],
  ['page=x', 1],
  ['page=7', 7],
  ['page=1e9', 1],
  ['page=999999', 100],
])('parses the URL %j to page %i', (search, page) => {
  expect(readPage(new URLSearchParams(search))).toBe(page)
})

test('ignores unknown values of a URL', () => {
  const search = new URLSearchParams('category=URL&category=NOPE&source_type=%3Cb%3E&category=URL')
  expect(readFilters(search)).toEqual({ ...NO_FILTERS, categories: ['URL'] })
})

test('queries the API only for active filters', () => {
  expect(toQuery(NO_FILTERS)).toEqual({})
  expect(
    toQuery({
      q: 'x',
      categories: ['URL'],
      sourceTypes: ['BLOG'],
      source: 'a/path',
      createdBy: 'ada',
      analyzed: {},
    }),
  ).toEqual({ q: 'x', category: ['URL'], source_type: ['BLOG'], source: 'a/path', created_by: ['ada'] })
  const some = [
    { q: 'x' },
    { categories: ['URL'] },
    { sourceTypes: ['BLOG'] },
    { source: 'x' },
    { createdBy: 'x' },
    { analyzed: { domain: ['x'] } },
  ]
  expect(isFiltered(NO_FILTERS)).toBe(false)
  expect(some.filter(each => !isFiltered({ ...NO_FILTERS, ...(each as object) }))).toEqual([])
  expect(toggled(toggled(['a', 'b'], 'a'), 'c')).toEqual(['b', 'c'])
})

test('passes the filters of a link from Analytics on, and describes each', () => {
  const [a, b] = ['a'.repeat(24), 'b'.repeat(24)]
  const filters = readFilters(
    new URLSearchParams(
      `from=2026-11-01&to=2026-11-31&zone=Nowhere&campaign=${a}&campaign=x&campaign=${b}&domain=example.org&agreement=few&third_vote=<b>`,
    ),
  )
  expect(toQuery(filters)).toEqual({
    from: '2026-11-01',
    campaign: [a, b],
    domain: 'example.org',
    agreement: 'few',
  })
  expect(analyzedChips(filters).map(({ label }) => label)).toEqual([
    'Created: 2026-11-01 to … (UTC)',
    'In both chosen campaigns',
    'Domain: example.org',
    'Votes: few',
  ])
  expect(analyzedChips(filters)[0]?.without.analyzed.from).toBeUndefined()
  expect(toSearch(filters)).toEqual({})
})
