import { draws } from '@iodine/test-kit/rounds'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { citationsOf, type SaidTriplet } from '../src/index.js'
import { sentencesOf } from '../src/sentences.js'

const triplet = (subject: string, verb: string, object: string): SaidTriplet => ({ subject, verb, object })
/** The words that are cited for a triplet; null without a citation. */
const cited = (text: string, ...parts: [string, string, string]) => {
  const [place] = citationsOf(text, [triplet(...parts)])
  return place ? text.slice(place.start, place.end) : null
}
const sentences = (text: string) => sentencesOf(text).map(({ start, end }) => text.slice(start, end))

const TEXT = `Giant mirrors heat the lake. The minister denied it, “and rightly so”, he said.
Officials hide the numbers of the harbour. Nobody asks why the harbour is closed!`

describe('a triplet is cited from the sentence that says it', () => {
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

  it('where a pronoun stands for its subject, if verb and object are there', () => {
    const said = 'He concealed seventeen documents.'
    const triplet = ['The minister', 'concealed', 'seventeen documents'] as const
    expect(cited(`The minister came. Nobody asked. ${said} Then he left.`, ...triplet)).toBe(said)
    // Both together say more.
    expect(cited(`The minister came. ${said} Then he left.`, ...triplet)).toBe(`The minister came. ${said}`)
  })

  it('is the same one in every language of a machine', () => {
    // Greek has a semicolon for a question mark.
    expect(sentences('They hide; nobody asks. Why?')).toEqual(['They hide; nobody asks.', 'Why?'])
  })

  it('is the first of equal ones', () => {
    const text = 'Mirrors heat lakes. Really. Mirrors heat lakes.'
    expect(citationsOf(text, [triplet('mirrors', 'heat', 'lakes')])).toEqual([
      { start: 0, end: 19, score: 1 },
    ])
  })
})

describe('no sentence is cited', () => {
  test.each<[string, string, [string, string, string]]>([
    ['what is not there', TEXT, ['Dragons', 'devour', 'violins']],
    ['one part alone', TEXT, ['Giant mirrors', 'devour', 'violins']],
    ['words of several sentences', TEXT, ['mirrors', 'asks', 'rightly']],
    ['nothing', '', ['a', 'b', 'c']],
    ['white space', ' \n ', ['a', 'b', 'c']],
    ['parts without words', 'Something else. More.', ['!', '?', '…']],
    [
      'what two sentences say as much of',
      'The red box holds letters of Ann. The red box holds letters of Bob.',
      ['The red box', 'holds', 'letters of Cleo and Dan'],
    ],
  ])('for %s', (_, text, parts) => expect(cited(text, ...parts)).toBeNull())

  it('in answer to nothing', () => expect(citationsOf(TEXT, [])).toEqual([]))
})

describe('sentences', () => {
  test.each<[string, string[]]>([
    ['Mr. Smith met J. R. Doe. He left.', ['Mr. Smith met J. R. Doe.', 'He left.']],
    ['They ate vitamin B. In May they left.', ['They ate vitamin B.', 'In May they left.']],
    ['It fell in Lyon. 11 million saw it.', ['It fell in Lyon.', '11 million saw it.']],
    ['See no. 5 and fig. 7 of it.', ['See no. 5 and fig. 7 of it.']],
    ['A wrapped\nline goes on.\nAnother.', ['A wrapped\nline goes on.', 'Another.']],
    ['HEADING\nText begins.', ['HEADING', 'Text begins.']],
    // A question mark where the machine's language is Greek.
    ['Who knows; Nobody.', ['Who knows; Nobody.']],
    ['  \n\n ', []],
  ])('%j', (text, wanted) => expect(sentences(text)).toEqual(wanted))

  it('without an end are cut after white space, and never within a character', () => {
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

/** A text of sentences whose triplets are known, in the words of the text or of others. */
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
    const said = facts.map(([name, verb, place], n) => `The ${name} ${verb} ${place}${spices[n]}${mark}`)
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
    return { text: said.join(between), said, triplets }
  })

test('of generated texts no citation is of another sentence, and hardly any is missing', () => {
  let [all, missing] = [0, 0]
  fc.assert(
    fc.property(labelled, ({ text, said, triplets }) => {
      citationsOf(text, triplets).forEach((place, n) => {
        all += 1
        if (place) expect(text.slice(place.start, place.end)).toBe(said[n])
        else missing += 1
      })
    }),
    draws(500),
  )
  expect(missing / all).toBeLessThan(0.05)
})

test('citations of any text lie in it, in their order, and split no character', { tags: 'long' }, () => {
  const anyText = fc.string({ unit: 'binary', maxLength: 300 })
  const part = fc.oneof(anyText, fc.constantFrom('a', '🛰', '\ud83d', ' ', '.', 'a b'))
  fc.assert(
    fc.property(
      anyText,
      fc.array(fc.record({ subject: part, verb: part, object: part }), { maxLength: 5 }),
      fc.nat(300),
      (given, triplets, at) => {
        // Some of the triplets' words are in the text.
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
    draws(200),
  )
})

it('takes a long text of words that look like forms of one, and long triplets of them', () => {
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
