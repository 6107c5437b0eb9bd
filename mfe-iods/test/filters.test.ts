import { toggled } from '@iodine/ui'
import { expect, test } from 'vitest'
import { isFiltered, NO_FILTERS, readFilters, readPage, toQuery, writeSearch } from '../src/model/filters'

test('filters and page go into an address and come out again', () => {
  const filters = { q: '(a+)+$ & ?', categories: ['URL', 'HASH'], sourceTypes: ['BLOG'] } as const
  const search = new URLSearchParams(writeSearch(filters, 3).toString())
  expect(readFilters(search)).toEqual(filters)
  expect(readPage(search)).toBe(3)
  expect(writeSearch(NO_FILTERS).toString()).toBe('')
})

test.each([
  ['', 1],
  ['page=0', 1],
  ['page=-4', 1],
  ['page=x', 1],
  ['page=7', 7],
  ['page=1e9', 1],
  ['page=999999', 100],
])('the address %j means page %i', (search, page) => {
  expect(readPage(new URLSearchParams(search))).toBe(page)
})

test('what an address has made up is left out', () => {
  const search = new URLSearchParams('category=URL&category=NOPE&source_type=%3Cb%3E&category=URL')
  expect(readFilters(search)).toEqual({ q: '', categories: ['URL'], sourceTypes: [] })
})

test('the API is asked for what is chosen alone', () => {
  expect(toQuery(NO_FILTERS)).toEqual({})
  expect(toQuery({ q: 'x', categories: ['URL'], sourceTypes: ['BLOG'] })).toEqual({
    q: 'x',
    category: ['URL'],
    source_type: ['BLOG'],
  })
  expect([isFiltered(NO_FILTERS), isFiltered({ ...NO_FILTERS, sourceTypes: ['BLOG'] })]).toEqual([
    false,
    true,
  ])
  expect(toggled(toggled(['a', 'b'], 'a'), 'c')).toEqual(['b', 'c'])
})
