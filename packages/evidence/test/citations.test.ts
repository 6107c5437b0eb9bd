import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { citationsOf, type TripletParts } from '../src/index.js'
import { sentencesOf } from '../src/sentences.js'

const triplet = (subject: string, verb: string, object: string): TripletParts => ({ subject, verb, object })
/** Returns the text that is cited for a triplet; null without a citation. */
const cited = (text: string, ...parts: [string, string, string]) => {
  const [place] = citationsOf(text, [triplet(...parts)])
  return place ? text.slice(place.start, place.end) : null
}
const sentences = (text: string) => sentencesOf(text).map(({ start, end }) => text.slice(start, end))

const TEXT = `Giant mirrors heat the lake. The minister denied it, “and rightly so”, he said.
Officials hide the numbers of the harbour. Nobody asks why the harbour is closed!`

describe('cites the sentence that contains a triplet', () => {
  test.each<[[string, string, string], string]>([
    [['Giant mirrors', 'heat', 'the lake'], 'Giant mirrors heat the lake.'],
    [['MIRRORS', 'heats', 'lakes'], 'Giant mirrors heat the lake.'],
    [['officials', 'are hiding', 'number of harbour'], 'Officials hide the numbers of the harbour.'],
    [['Nobody', 'asks', 'why harbour is closed'], 'Nobody asks why the harbour is closed!'],
    [['minister', 'denies', 'it'], 'The minister denied it, “and rightly so”, he said.'],
  ])('%j', (parts, sentence) => expect(cited(TEXT, ...parts)).toBe(sentence))

  test.each<[string, [string, string, string], string]>([
    ['other Unicode forms', ['Cafe\u0301', 'closes', 'E\u0301cole'], 'Le CAFÉ closes école.'],
    ['quotation marks', ["the minister's letter", 'says', '"no"'], 'The minister’s letter says “no”.'],
    ['emoji', ['🛰', 'sees', 'everything'], 'The 🛰 sees everything.'],
    ['no spaces', ['当局', '隠す', '数字'], '当局は数字を隠す。'],
    ['another script', ['Министр', 'скрывает', 'цифры'], 'Министр скрывал цифры.'],
    ['right to left', ['الوزير', 'يخفي', 'الأرقام'], 'الوزير يخفي الأرقام.'],
  ])('with %s', (_, parts, sentence) => {
    const text = `Nothing of it. ${sentence} Something else follows.`
    expect(cited(text, ...parts)).toBe(sentence)
  })

  it('with a pronoun as subject, if verb and object match', () => {
    const said = 'He concealed seventeen documents.'
    const triplet = ['The minister', 'concealed', 'seventeen documents'] as const
    expect(cited(`The minister came. Nobody asked. ${said} Then he left.`, ...triplet)).toBe(said)
    // Both sentences together score higher.
    expect(cited(`The minister came. ${said} Then he left.`, ...triplet)).toBe(`The minister came. ${said}`)
  })

  it('regardless of the system locale', () => {
    // In Greek, the semicolon is the question mark.
    expect(sentences('They hide; nobody asks. Why?')).toEqual(['They hide; nobody asks.', 'Why?'])
  })

  it('chooses the first of equal sentences', () => {
    const text = 'Mirrors heat lakes. Really. Mirrors heat lakes.'
    expect(citationsOf(text, [triplet('mirrors', 'heat', 'lakes')])).toEqual([
      { start: 0, end: 19, score: 1 },
    ])
  })
})

describe('cites no sentence', () => {
  test.each<[string, string, [string, string, string]]>([
    ['a triplet that does not occur', TEXT, ['Dragons', 'devour', 'violins']],
    ['a single matching part', TEXT, ['Giant mirrors', 'devour', 'violins']],
    ['words of several sentences', TEXT, ['mirrors', 'asks', 'rightly']],
    ['an empty text', '', ['a', 'b', 'c']],
    ['white space', ' \n ', ['a', 'b', 'c']],
    ['parts without words', 'Something else. More.', ['!', '?', '…']],
    [
      'a triplet that matches two sentences equally',
      'The red box holds letters of Ann. The red box holds letters of Bob.',
      ['The red box', 'holds', 'letters of Cleo and Dan'],
    ],
  ])('for %s', (_, text, parts) => expect(cited(text, ...parts)).toBeNull())

  it('without triplets', () => expect(citationsOf(TEXT, [])).toEqual([]))
})

describe('sentences', () => {
  test.each<[string, string[]]>([
    ['Mr. Smith met J. R. Doe. He left.', ['Mr. Smith met J. R. Doe.', 'He left.']],
    ['They ate vitamin B. In May they left.', ['They ate vitamin B.', 'In May they left.']],
    ['It fell in Lyon. 11 million saw it.', ['It fell in Lyon.', '11 million saw it.']],
    ['See no. 5 and fig. 7 of it.', ['See no. 5 and fig. 7 of it.']],
    ['A wrapped\nline goes on.\nAnother.', ['A wrapped\nline goes on.', 'Another.']],
    ['HEADING\nText begins.', ['HEADING', 'Text begins.']],
    // A question mark in the locale Greek.
    ['Who knows; Nobody.', ['Who knows; Nobody.']],
    ['  \n\n ', []],
  ])('%j', (text, wanted) => expect(sentences(text)).toEqual(wanted))

  it('are split after white space if they are too long, and never within a character', () => {
    for (const endless of ['word '.repeat(400), 'x'.repeat(1_600), `a${'🛰'.repeat(900)}`]) {
      const parts = sentences(endless)
      expect(parts.length).toBeGreaterThan(2)
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(500)
        expect(part.isWellFormed()).toBe(true)
      }
      expect(parts.join('').replaceAll(' ', '')).toBe(endless.replaceAll(' ', ''))
    }
  })
})

const NAMES = [
  'minister',
  'mirror',
  'harbour',
  'engineer',
  'journal',
  'vaccine',
  'satellite',
  'library',
  'orchard',
]
const PLACES = ['the lake', 'an old tower', 'seventeen letters', 'a burning field', 'its frozen archive']
const VERBS = ['hides', 'heats', 'poisons', 'forgets', 'measures', 'borrows', 'destroys']
const SPICE = ['', ', it is said', ' again', ' – so they say', ' “at night”', ' in Zürich', ' 🛰']

/** A generated text with its triplets, each in the words of the text or in variants. */
const labelled = fc
  .record({
    facts: fc.uniqueArray(
      fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VERBS), fc.constantFrom(...PLACES)),
      { selector: ([name, verb, place]) => `${name} ${verb} ${place}`, minLength: 1, maxLength: 8 },
    ),
    spices: fc.array(fc.constantFrom(...SPICE), { minLength: 8, maxLength: 8 }),
    between: fc.constantFrom(' ', '\n', '\n\n', '  '),
    mark: fc.constantFrom('.', '!', '?', '.”'),
    forms: fc.array(fc.nat(5), { minLength: 8, maxLength: 8 }),
  })
  .map(({ facts, spices, between, mark, forms }) => {
    const expected = facts.map(([name, verb, place], n) => `The ${name} ${verb} ${place}${spices[n]}${mark}`)
    const triplets = facts.map(([name, verb, place], n) => {
      const ways: ((words: string) => string)[] = [
        words => words,
        words => words.toUpperCase(),
        words => words.normalize('NFD'),
        words => `  ${words.replaceAll(' ', '  ')} `,
        words => words.replace(/^(an?|the|its) /, ''),
        words => `“${words}”`,
      ]
      const way = ways[forms[n] ?? 0] ?? String
      const verbs = [verb, verb.replace(/s$/, ''), verb.replace(/e?s$/, 'ed'), verb.replace(/e?s$/, 'ing')]
      return triplet(way(name), way(verbs[(forms[n] ?? 0) % 4] ?? verb), way(place))
    })
    return { text: expected.join(between), expected, triplets }
  })

test('cites no wrong sentence of generated texts, and misses less than 5 %', () => {
  let [all, missing] = [0, 0]
  fc.assert(
    fc.property(labelled, ({ text, expected, triplets }) => {
      citationsOf(text, triplets).forEach((place, n) => {
        all += 1
        if (place) expect(text.slice(place.start, place.end)).toBe(expected[n])
        else missing += 1
      })
    }),
    propertyRuns(500),
  )
  expect(missing / all).toBeLessThan(0.05)
})

test('returns valid ranges for any text, which split no character', { tags: 'long' }, () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 300 })
  const part = fc.oneof(anyText, fc.constantFrom('a', '🛰', '\ud83d', ' ', '.', 'a b'))
  fc.assert(
    fc.property(
      anyText,
      fc.array(fc.record({ subject: part, verb: part, object: part }), { maxLength: 5 }),
      fc.nat(300),
      (given, triplets, at) => {
        // The text contains the triplets' words.
        const words = triplets.flatMap(each => Object.values(each)).join(' ')
        const text = (given.slice(0, at) + words + given.slice(at)).toWellFormed()
        const places = citationsOf(text, triplets)
        expect(places).toHaveLength(triplets.length)
        for (const place of places) {
          if (!place) continue
          const { start, end, score } = place
          expect(start >= 0 && start < end && end <= text.length).toBe(true)
          expect(score > 0 && score <= 1).toBe(true)
          expect(text.slice(start, end).isWellFormed()).toBe(true)
          expect(text.slice(start, end).trim()).toBe(text.slice(start, end))
        }
      },
    ),
    propertyRuns(200),
  )
})

it('cites a long text and long triplets of similar words', () => {
  const words = Array.from(
    { length: 7_000 },
    (_, n) =>
      `beg${n
        .toString(26)
        .padStart(4, 'x')
        .replace(/\d/g, digit => 'qrstuvwxyz'[Number(digit)] ?? '')}`,
  )
  const text = words.join('. ').slice(0, 50_000)
  const long = words.slice(0, 60).join(' ')
  const triplets = Array.from({ length: 50 }, (_, n) => triplet(`${long} ${n}`, long, words[n] ?? ''))
  expect(citationsOf(text, triplets)).toHaveLength(50)
})
