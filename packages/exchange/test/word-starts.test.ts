import { propertyRuns } from '@iodine/test-kit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordStarts } from '../src/disarm/word-starts.js'

test.each([
  ['accounts?', ['account ', 'accounts ']],
  ['fake\\w*|sham', ['fake ', 'fake', 'sham ']],
  ['in the guise', ['in ']],
  ['(an? )?bots?', ['a ', 'an ', 'bot ', 'bots ']],
  ['non-?existent', ['nonexistent ', 'non ']],
  ['m[ae]n', ['m']],
  ['(?<!photo )(?:pos(e|ed) as)', ['pose ', 'posed ']],
  ['\\btags?\\b', ['tag ', 'tags ']],
  ['web(sites?)+', ['website', 'websites']],
  ['(?<caps>\\w+) farm', ['']],
  ['.{0,9} farm', ['']],
  ["'s", ['']],
])('the first words of /%s/ start with %j', (source, starts) => {
  expect([...wordStarts(source)].sort()).toEqual([...starts].sort())
})

const assertion = fc.constantFrom('\\b', '(?!b)', '(?<!a )')
const quantified = fc
  .tuple(
    fc.constantFrom('a', 'b', 'a', 'b', ' ', '-', '.', '\\w', '\\W', '\\d', '[ab]', '[- ]'),
    fc.constantFrom('', '', '', '?', '*', '+', '{0,2}', '{2}', '{0,3}?'),
  )
  .map(parts => parts.join(''))
/** Groups are not repeated without end, which would take exponential time. */
const { source } = fc.letrec<{ source: string }>(tie => ({
  source: fc
    .array(
      fc
        .array(
          fc.oneof(
            { maxDepth: 2 },
            quantified,
            assertion,
            fc
              .tuple(tie('source'), fc.constantFrom('', '?', '{0,2}'))
              .map(([group, quantifier]) => `(${group})${quantifier}`),
          ),
          { minLength: 1, maxLength: 3 },
        )
        .map(atoms => atoms.join('')),
      { minLength: 1, maxLength: 3 },
    )
    .map(choices => choices.join('|')),
}))

test('a match starts with one of the starts', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'ab', '1', ' ', '-', 'é'), { maxLength: 8 })
  fc.assert(
    fc.property(source, text, (pattern, parts) => {
      const written = parts.join('')
      const starts = [...wordStarts(pattern)]
      for (const { index } of written.matchAll(new RegExp(`(?<!\\w)(?:${pattern})(?!\\w)`, 'g'))) {
        const word = /^\w*/.exec(written.slice(index))?.[0]
        expect(starts.filter(start => `${word} `.startsWith(start))).not.toEqual([])
      }
    }),
    propertyRuns(200),
  )
})
