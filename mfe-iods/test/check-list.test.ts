import { expect, test } from 'vitest'
import {
  decodeList,
  describeList,
  listFault,
  listOfCells,
  readList,
  shownValues,
  sums,
  tableRows,
  UnreadableList,
  withCampaigns,
  withIods,
} from '../src/model/check-list'
import { iod } from './fixtures'

const bytes = (text: string) => new TextEncoder().encode(text)

test('reads one value per line, without defanging, and proposes categories', () => {
  const list = readList('hxxps://evil[.]example/a\r\n@ana\n\n#lies\nevil[.]example\n  THE SEA  \nthe sea\n')
  expect(list.values.map(({ id, value, category }) => [id, value, category])).toEqual([
    ['1', 'https://evil.example/a', 'URL'],
    ['2', '@ana', 'USERNAME'],
    ['4', '#lies', 'HASHTAGS'],
    ['5', 'evil.example', 'SENTENCE'],
    ['6', 'THE SEA', 'SENTENCE'],
  ])
  expect(describeList(list)).toBe('5 values, 1 repeated, 1 empty line')
  expect(listFault(list)).toBeUndefined()
})

test('keeps values that no IOD can have, with their problem', () => {
  const list = readList(`${'a'.repeat(10_001)}\n${'😀'.repeat(10_000)}\nb\0ad\nlone\ud800\nfine`)
  expect(list.values.map(({ isValid, problem }) => [isValid, problem])).toEqual([
    [false, 'Not checked: longer than 10,000 characters.'],
    [true, undefined],
    [false, 'Not checked: contains damaged characters.'],
    [false, 'Not checked: contains damaged characters.'],
    [true, undefined],
  ])
  expect(sums(list.values)).toEqual({ all: 5, new: 2, known: 0, data: 0, campaigns: 0, problem: 3 })
})

test('refuses more than 10,000 distinct values', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `value ${n}`)
  expect(listFault(readList([...lines(10_000), 'value 3'].join('\n')))).toBeUndefined()
  expect(listFault(readList(lines(10_001).join('\n')))).toBe(
    'The list has 10,001 values. At most 10,000 can be checked at once: remove some, or check them in parts.',
  )
})

test('decodes UTF-8 and UTF-16, and refuses other bytes', () => {
  expect(decodeList(bytes('\ufeffété'), 'a.txt')).toBe('été')
  expect(decodeList(Uint8Array.of(0xff, 0xfe, 0xe9, 0), 'a.txt')).toBe('é')
  for (const other of [Uint8Array.of(0xe9), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0), bytes('a\0')])
    expect(() => decodeList(other, 'a.png')).toThrow(
      new UnreadableList('“a.png” is not a text file in UTF-8. Save it as text or CSV in UTF-8.'),
    )
})

test('takes the values of a CSV from the named column, otherwise from the first', () => {
  expect(listOfCells([['Date', 'URL '], ['1', 'a\nb'], ['2']])).toBe('a b\n')
  expect(listOfCells([['x.example', '1'], ['y.example']])).toBe('x.example\ny.example')
  expect(listOfCells([])).toBe('')
})

test('joins IODs and campaigns, and writes the table', () => {
  const [tag, other] = [iod('#Lies', { category: 'HASHTAGS' }), iod('=1+1', { category: 'TITLE' })]
  const list = readList('lies\n=1+1\nnew one').values
  const known = withIods(list, [tag, other, other])
  expect(known.map(({ iods }) => iods.map(({ id }) => id))).toEqual([[tag.id], [other.id], []])
  const id = 'c'.repeat(24)
  const checked = withCampaigns(known, [
    { id, name: 'Lake', iod_ids: [tag.id, 'f'.repeat(24)] },
    { id: 'd'.repeat(24), name: 'Hills', iod_ids: [tag.id] },
  ])
  expect(checked.map(({ campaigns }) => campaigns.map(({ name }) => name))).toEqual([
    ['Lake', 'Hills'],
    [],
    [],
  ])
  expect(shownValues(checked, 'campaigns')).toEqual([checked[0]])
  expect(tableRows(checked)).toEqual([
    ['lies', 'known', 'HASHTAGS', tag.id, '', 'Lake; Hills', ''],
    ['=1+1', 'known', 'TITLE', other.id, '', '', ''],
    ['new one', 'new', 'SENTENCE', '', '', '', ''],
  ])
})
