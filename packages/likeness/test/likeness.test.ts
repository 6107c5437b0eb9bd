import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { likeness, quotesOf, rankingScores, type Signature, signatureOf } from '../src/index.js'

const seed = 'a secret of the tests'
const of = (text: string) => signatureOf(text, { seed })
const shared = (a: readonly string[], b: readonly string[]) => a.filter(key => b.includes(key)).length
const areCandidates = (a: Signature, b: Signature) => shared(a.bands, b.bands) + shared(a.keys, b.keys) > 0

const STORY =
  'The ministry of water in Velden has secretly mixed sleeping pills into the reservoir, says a leaked memo of its own engineers'

describe('signatures', () => {
  it('have 32 bands, up to 12 keys and a sketch of 96 numbers of 32 bits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), text => {
        const { exact, bands, keys, sketch } = of(text)
        expect(exact).toMatch(/^[0-9a-f]{32}$/)
        expect(bands).toHaveLength(32)
        for (const key of [...bands, ...keys]) expect(key).toMatch(/^[0-9a-f]{12}$/)
        expect(keys.length).toBeLessThanOrEqual(12)
        expect(sketch).toHaveLength(96)
        for (const entry of sketch) expect(entry >>> 0).toBe(entry)
        expect(of(text)).toEqual({ exact, bands, keys, sketch })
        expect(likeness(of(text), of(text))).toBe(1)
      }),
    )
  })

  it('share no band or key under another seed', () => {
    const other = signatureOf(STORY, { seed: 'another' })
    const signature = of(STORY)
    expect(other.exact).not.toBe(signature.exact)
    expect(areCandidates(signature, other)).toBe(false)
    expect(likeness(signature, other)).toBe(0)
  })

  it('of a text without words match only equal texts', () => {
    expect(of('🙂🙂').bands).toEqual(of('🙂🙂').bands)
    expect(areCandidates(of('🙂🙂'), of('🙃'))).toBe(false)
    expect(areCandidates(of(''), of('!'))).toBe(false)
    expect(likeness(of('🙂'), of('🙃'))).toBe(0)
  })

  it('of a text of stop words compare the stop words', () => {
    expect(likeness(of('To be, or not to be'), of('to be or not to be'))).toBe(1)
    expect(likeness(of('To be, or not to be'), of('who are they'))).toBe(0)
  })
})

describe('obfuscated text', () => {
  it.each([
    ['case and white space', STORY.toUpperCase().replaceAll(' ', '  \n')],
    ['full-width letters', STORY.replaceAll('e', 'ｅ')],
    ['zero-width characters', [...STORY].join('\u200b')],
    ['soft hyphens and directions', STORY.replaceAll('r', '\u00adr\u202e')],
    ['Cyrillic letters', STORY.replaceAll('a', 'а').replaceAll('e', 'е').replaceAll('o', 'о')],
    ['Greek letters', STORY.replaceAll('o', 'ο').replaceAll('v', 'ν')],
    ['mathematical letters', STORY.replaceAll('m', '𝐦')],
  ])('has the same signature: %s', (_, text) => {
    expect(of(text).exact).toBe(of(STORY).exact)
    expect(of(text).bands).toEqual(of(STORY).bands)
  })

  it('has the same signature in Russian with Latin letters', () => {
    const text = 'Министерство тайно добавило снотворное в водохранилище, сообщают инженеры'
    const disguised = text.replaceAll('о', 'o').replaceAll('е', 'e').replaceAll('с', 'c')
    expect(of(disguised).exact).toBe(of(text).exact)
    expect(of(disguised).keys).toEqual(of(text).keys)
  })

  it('does not change words of another script', () => {
    const latin = 'They said «нет» and «водохранилище» in Moscow'
    expect(of(latin).exact).not.toBe(of('They said and in Moscow').exact)
    expect(shared(of(latin).keys, of('Где «водохранилище» теперь').keys)).toBe(1)
  })
})

describe('copies and rewordings', () => {
  const rewordings = [
    'Leaked: engineers of the Velden water ministry admit that sleeping pills were mixed into the reservoirs!!',
    'LEAKED memo!! Velden mixes SLEEPING PILLS into its reservoirs https://example.org/x?utm_source=1 #WaterMinistry',
  ]
  const other =
    'A new bridge over the river was opened on Sunday by the mayor, with music and free soup for everyone'

  it.each(rewordings)('are candidates: %s', text => {
    expect(areCandidates(of(STORY), of(text))).toBe(true)
    expect(likeness(of(STORY), of(text))).toBeGreaterThan(0.3)
    expect(likeness(of(STORY), of(text))).toBe(likeness(of(text), of(STORY)))
  })

  it('are no candidates for other texts', () => {
    expect(areCandidates(of(STORY), of(other))).toBe(false)
    expect(likeness(of(STORY), of(other))).toBe(0)
  })

  it('share bands if one word of twenty differs', () => {
    const words = Array.from({ length: 20 }, (_, n) => `distinctword${n}`)
    const changed = [...words.slice(0, 19), 'replacement']
    expect(shared(of(words.join(' ')).bands, of(changed.join(' ')).bands)).toBeGreaterThan(10)
  })

  it.each([
    ['German', 'Die Regierungen verschweigen die Impfungen', 'Eine Regierung verschwieg diese Impfung'],
    ['Spanish', 'Los gobiernos ocultan las vacunas peligrosas', 'El gobierno oculta una vacuna peligrosa'],
    ['Russian', 'Власти скрывают опасные вакцины', 'Власть скрывает опасную вакцину'],
    ['Chinese', '政府隐瞒了疫苗的危险性', '他们说政府一直隐瞒疫苗的危险'],
    ['Japanese', '政府はワクチンの危険性を隠している', 'ワクチンの危険性を隠しているのは政府だ'],
    ['Thai', 'รัฐบาลปกปิดอันตรายของวัคซีน', 'อันตรายของวัคซีนที่รัฐบาลปกปิด'],
  ])('are candidates in %s', (_, text, reworded) => {
    expect(areCandidates(of(text), of(reworded))).toBe(true)
    expect(likeness(of(text), of(reworded))).toBeGreaterThan(0.25)
  })

  it('match a hashtag by its words, and ignore accents', () => {
    expect(shared(of('#FluorideInWater').keys, of('the fluoride and the water').keys)).toBe(2)
    expect(of('La santé menacée').bands).toEqual(of('La sante menacee').bands)
  })

  it('of long texts are compared by an estimate from the sketches', () => {
    const words = Array.from({ length: 3_000 }, (_, n) => `word${n.toString(36)}x`)
    const first = of(words.slice(0, 2_000).join(' '))
    const second = of(words.slice(1_000).join(' '))
    // Both texts share a third of all words; the standard error of 96 words is 0.05.
    expect(Math.abs(likeness(first, second) - 1 / 3)).toBeLessThan(0.2)
  })
})

describe('ranking', () => {
  it('weighs a word more if fewer candidates contain it', () => {
    const query = of('vaccine banned in Velden')
    const common = Array.from({ length: 20 }, (_, n) => of(`vaccine banned somewhere${n}`))
    const scores = rankingScores(query, [...common, of('a rally about Velden')])
    expect(Math.max(...scores)).toBe(scores.at(-1))
    expect(likeness(query, common[0] as Signature)).toBeGreaterThan(
      likeness(query, of('a rally about Velden')),
    )
  })

  it('returns scores from 0 to 1 in the order of the candidates', () => {
    expect(rankingScores(of(STORY), [])).toEqual([])
    const [same, none] = rankingScores(of(STORY), [of(STORY), of('another matter')])
    expect(same).toBeCloseTo(1)
    expect(none).toBe(0)
  })
})

describe('quotes', () => {
  const quotes = (words: string, text: string) => quotesOf(words)(text)

  it('contain all the words in their order, with any punctuation and white space', () => {
    const claim = 'The mirrors “heat” the lake!'
    expect(
      quotes(claim, `Look: the MIRRORS heat\u200b the\n lake, they say. ${'And more. '.repeat(500)}`),
    ).toBe('whole')
    expect(quotes(claim, 'Heat the lake')).toBe('part')
    expect(quotes(claim, 'The lake mirrors the heat')).toBeNull()
    expect(quotes('the mirror', 'the mirrors')).toBeNull()
    expect(quotes('silver dust', 'Silvеr dust in Latin and Сyrillic letters')).toBe('whole')
    expect(quotes('#GiantMirrors', 'see #giantmirrors')).toBe('whole')
    expect(quotes('', 'anything')).toBeNull()
    expect(quotes('anything', ' … ')).toBeNull()
  })

  it('are found in scripts without spaces, and without letters', () => {
    expect(quotes('镜子加热湖', '人们说镜子加热湖水')).toBe('whole')
    expect(quotes('🔥🔥', 'hot 🔥🔥🔥')).toBe('whole')
    expect(quotes('🔥🔥', 'hot 🔥')).toBeNull()
  })
})

it('folds a hostile text of 50,000 characters in linear time', { tags: 'long' }, () => {
  const hostile = ['a.', "a'", 'aA', '#A', '\u200d', 'aа', 'www.', '漢', '/', '\u0301'].map(part =>
    part.repeat(50_000 / part.length),
  )
  for (const text of hostile) {
    const started = performance.now()
    of(text)
    // A quadratic step takes minutes.
    expect(performance.now() - started).toBeLessThan(20_000)
  }
})
