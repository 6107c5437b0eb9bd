import { type ApiClient, paths } from '@iodine/mfe-kit'
import { expect, test } from 'vitest'
import { excerptOf, KINDS, textWith } from '../src/search/results'

test('returns one line that begins at a word shortly before the match', () => {
  expect(excerptOf('Giant  mirrors\n heat the lake', 'lake')).toBe('Giant mirrors heat the lake')
  const long = `${'word '.repeat(100)}the LAKE is heated ${'word '.repeat(100)}`
  const excerpt = excerptOf(long, 'lake')
  expect(excerpt).toMatch(/^…(word )+the LAKE is heated/)
  expect(excerpt.length).toBeLessThan(100)
  expect(excerptOf('x'.repeat(10_000), 'y')).toBe(`${'x'.repeat(90)}…`)
  expect(excerptOf('', 'lake')).toBe('')
})

test('finds the text of a record that contains the term at any depth', () => {
  const record = {
    id: '1',
    collector_metadata: { source: 'lake' },
    main: { description: 'first', hashtags: ['other', 'LAKEside'] },
  }
  expect(textWith(record, 'lake')).toBe('LAKEside')
  expect(textWith(record, 'nowhere')).toBe('first')
  expect(textWith({ id: '1', count: 3 }, 'x')).toBe('')
})

test('ranks IODs by the match of their values, and shows the description if only it matches', async () => {
  const iod = (id: string, value: string, description = '') => ({
    id,
    value,
    description,
    category: 'HASHTAGS',
  })
  const items = [
    iod('1', 'Buoy nine', 'Measured far from the mirrors'),
    iod('2', 'supermirrors'),
    iod('3', 'The mirrors turn'),
    iod('4', 'mirrors of Varnel'),
    iod('5', 'Seen', 'mirrors'),
    iod('6', 'Told', 'mirrors'),
  ]
  const api = {
    page: async () => ({ items, total: 7 }),
    call: async () => [iod('7', '#Mirrors')],
  } as unknown as ApiClient
  const { results, total } = (await KINDS[0]?.find(api, 'mirrors', new AbortController().signal)) ?? {}
  expect(results?.map(({ path }) => path)).toEqual([7, 4, 3, 2, 1].map(id => paths.iod(String(id))))
  expect(results?.[0]?.text).toBe('#Mirrors')
  expect(results?.[4]?.text).toBe('Buoy nine – Measured far from the mirrors')
  expect(total).toBe(7)
})
