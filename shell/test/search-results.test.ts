import { expect, test } from 'vitest'
import { excerptOf, textWith } from '../src/search/results'

test('an excerpt is one line, and begins at a word shortly before the match', () => {
  expect(excerptOf('Giant  mirrors\n heat the lake', 'lake')).toBe('Giant mirrors heat the lake')
  const long = `${'word '.repeat(100)}the LAKE is heated ${'word '.repeat(100)}`
  const excerpt = excerptOf(long, 'lake')
  expect(excerpt).toMatch(/^…(word )+the LAKE is heated/)
  expect(excerpt.length).toBeLessThan(100)
  expect(excerptOf('x'.repeat(10_000), 'y')).toBe(`${'x'.repeat(90)}…`)
  expect(excerptOf('', 'lake')).toBe('')
})

test('the text of a record that has the term is found wherever it stands', () => {
  const record = {
    id: '1',
    collector_metadata: { source: 'lake' },
    main: { description: 'first', hashtags: ['other', 'LAKEside'] },
  }
  expect(textWith(record, 'lake')).toBe('LAKEside')
  expect(textWith(record, 'nowhere')).toBe('first')
  expect(textWith({ id: '1', count: 3 }, 'x')).toBe('')
})
