import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsedHead, parseExact } from '../src/json/parse.js'
import { hasLines, pathValues } from '../src/json/values.js'

async function* parts(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

const valuesIn = async (text: string, paths: string[], size = 1_000) => {
  const found: unknown[] = []
  const values = pathValues(parts(text, size), paths)
  for (;;) {
    const { done, value } = await values.next()
    if (done) return { found, end: value }
    found.push(value.value)
  }
}

describe('JSON of files', () => {
  it('keeps long integers exact, outside of texts only', () => {
    const text =
      '{"id":7572027344082567891,"n":[-9223372036854775808, 12],"t":"1: 7572027344082567891","x":7.57e18}'
    expect(parseExact(text)).toEqual({
      id: 7572027344082567891n,
      n: [-9223372036854775808n, 12],
      t: '1: 7572027344082567891',
      x: 7.57e18,
    })
  })

  it.each([
    ['[1234567890123456]', [1234567890123456n]],
    [
      '[0.1234567890123456789, 1e1234567890123456, -1234567890123456.5]',
      [0.12345678901234568, Infinity, -1234567890123456.5],
    ],
    [
      '{"\\\\":1234567890123456789,"\\"":"\\\\\\",1234567890123456789"}',
      { '\\': 1234567890123456789n, '"': '\\",1234567890123456789' },
    ],
    [' 1234567890123456789 ', 1234567890123456789n],
  ])('parses %s', (text, value) => {
    expect(parseExact(text)).toEqual(value)
  })

  it.each([
    '[01234567890123456789]',
    '{1234567890123456789:1}',
    '{1234567890123456789}',
    '[1234567890123456789"a"]',
    '[-01234567890123456]',
    '["1234567890123456789,1234567890123456789]',
    `[1234567890123456789,${'['.repeat(200)}${']'.repeat(200)}]`,
  ])('refuses %s', text => {
    expect(() => parseExact(text)).toThrow()
  })

  it('parses what was written, whatever it contains', () => {
    const value = fc.jsonValue({ maxDepth: 4 }).map(each => JSON.stringify(each))
    const property = fc.property(value, fc.bigInt({ min: 10n ** 15n, max: 10n ** 30n }), (text, long) => {
      // Numbers of that many digits are long integers, too.
      fc.pre(!/\d{16}/.test(text))
      expect(parseExact(`{"a":${text},"b": ${long},"c":[-${long},${text}]}`)).toEqual({
        a: JSON.parse(text),
        b: long,
        c: [-long, JSON.parse(text)],
      })
    })
    fc.assert(property, propertyRuns(4_000))
  })

  it('keeps hostile keys as plain values', () => {
    const text = '{"__proto__":{"id":1234567890123456789},"constructor":1}'
    const value = parseExact(text) as object
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
  })

  it.each([1, 2, 7, 1_000])('reads values as they arrive, in parts of %i characters', async size => {
    const text = '{"a":{"list":[{"id":1},{"id":"\\ud83c\\udf0a\\ud800"}]},"rest":[[1]]}'
    const { found, end } = await valuesIn(text, ['$.a.list.*'], size)
    expect(found).toEqual([{ id: 1 }, { id: '🌊\ud800' }])
    expect(end).toBe('whole')
  })

  it('tells a cut document from a broken one', async () => {
    expect(await valuesIn('{"list":[{"id":1},{"id":', ['$.list.*'])).toEqual({
      found: [{ id: 1 }],
      end: 'cut',
    })
    expect(await valuesIn('{"list":[{"id":1},{id:2}]}', ['$.list.*'])).toEqual({
      found: [{ id: 1 }],
      end: 'broken',
    })
  })

  it('stops at deep nesting and at huge items', async () => {
    const deep = `{"list":[${'['.repeat(100_000)}`
    expect(await valuesIn(deep, ['$.list.*'], 10_000)).toEqual({ found: [], end: 'broken' })
    const huge = valuesIn(`{"list":["${'x'.repeat(17 * 2 ** 20)}"]}`, ['$.list.*'], 2 ** 20)
    await expect(huge).rejects.toThrow('The file has an item of more than 16,777,216 characters')
  })

  it('reads the beginning of a cut text', () => {
    expect(parsedHead('{"a":{"b":[{"c":1},{"d":"x')).toEqual({ a: { b: [{ c: 1 }, {}] } })
    expect(parsedHead('{"a":1}\n{"b":2}')).toEqual({ a: 1 })
    expect(parsedHead('x')).toBeUndefined()
  })

  it.each([
    ['{"a":1}\n{"a":2}\n', true],
    ['\n{"a":1}\n\n{"a":', true],
    ['{"a":1,"b\n{"a":2}\n', true],
    ['null\n{"a":1}\n', true],
    ['{"a":1}\n', false],
    ['{\n"a":1\n}', false],
    ['[\n{"a":1}\n]', false],
    ['[{"a":1},\n{"a":2}]', false],
  ])('%j has lines: %s', (text, expected) => {
    expect(hasLines(text)).toBe(expected)
  })
})
