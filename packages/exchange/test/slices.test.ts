import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { propertyRuns } from '@iodine/test-kit'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parseObject, sliceObjects, UnreadableFile } from '../src/index.js'

const LIMITS = { objects: 1_000, objectBytes: 100_000, depth: 64 }

const slice = (file: string | Uint8Array, limits = LIMITS) => {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file
  const slicing = sliceObjects(bytes, limits)
  let step = slicing.next()
  while (!step.done) step = slicing.next()
  const { spans, skipped, envelope } = step.value
  return {
    envelope,
    ...(skipped.length > 0 && { skipped: skipped.map(({ place, reason }) => `${place}: ${reason}`) }),
    objects: spans.map(([start, end]) => Buffer.from(bytes.subarray(start, end)).toString()),
  }
}
const bundle = (...objects: string[]) => `{"type":"bundle","id":"bundle--1","objects":[${objects.join(',')}]}`

describe('the objects of a bundle', () => {
  test.each([
    [
      'numbers that JavaScript formats differently',
      '{"type":"a","n":1.0,"m":9007199254740993,"e":1E+2,"z":-0,"x":1e999}',
    ],
    ['duplicate names', '{"type":"a","name":"x","name":"y","__proto__":{"a":1},"constructor":1}'],
    ['escapes', String.raw`{"type":"a","v":"\u0000 \ud800 \/ \u00e9 \"]}{["}`],
    ['white space', '{\r\n\t"type" :\n"a" ,\n  "list" : [ 1 , { } ]\n}'],
    ['non-ASCII text', '{"type":"a","name":"Жёлтый 🟡 \u2028"}'],
  ])('are preserved unchanged: %s', (_, object) => {
    const file = `\n${bundle(` ${object} `, '{"type":"b"}')} `
    expect(slice(file)).toEqual({
      objects: [object, '{"type":"b"}'],
      envelope: '{"type":"bundle","id":"bundle--1","objects":[]}',
    })
  })

  test('are found at any position of the list, under an escaped name, and after a byte order mark', () => {
    const list = String.raw`"\u006fbjects":[{"type":"a"}]`
    expect(slice(`\uFEFF{${list},"x":{"objects":[{"type":"no"}]},"y":"objects"}`).objects).toEqual([
      '{"type":"a"}',
    ])
  })

  test('are the elements of an array, or the file itself', () => {
    expect(slice('[{"type":"a"},{"type":"b"}]').objects).toHaveLength(2)
    expect(slice(' {"type":"indicator","id":"x"} ')).toEqual({
      objects: ['{"type":"indicator","id":"x"}'],
      envelope: '[]',
    })
    expect(slice('{"type":"bundle","objects":[]}').objects).toEqual([])
  })

  test.each([
    ['', /not valid JSON/],
    ['nonsense', /not valid JSON/],
    ['{"objects":[{"a":1}', /not valid JSON/],
    ['{"objects":[{"a":1}]', /not valid JSON/],
    ['{"objects":[{"a":1},]}', /not valid JSON/],
    ['{"objects":[{"a":1} {"b":1}]}', /not valid JSON/],
    ['{"objects":[{"a":1}]} more', /not valid JSON/],
    ['{"objects":[{"a":1}],}', /not valid JSON/],
    ['{"objects":[{"a":1}],"b":tru}', /not valid JSON/],
    ['{"objects":[{"a":1}],"objects":[]}', /“objects” twice/],
    ['{"objects":["]}', /not valid JSON/],
    ['{"a":"\\', /not valid JSON/],
    [`${'['.repeat(100_000)}`, /not valid JSON/],
    [`{"x":${'['.repeat(100_000)}`, /nested deeper/],
    [bundle(...Array.from({ length: 1_001 }, () => '{}')), /more than 1000 objects/],
  ])('are rejected in an invalid file (%#)', (file, message) => {
    expect(() => slice(file)).toThrow(UnreadableFile)
    expect(() => slice(file)).toThrow(message)
  })

  it.each([
    ['not an object', '1'],
    ['not an object', '[{"type":"a"}]'],
    ['nested deeper than 64', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
    ['not valid JSON', '{"type":tru}'],
    ['larger than 100000 bytes', `{"a":"${'x'.repeat(100_001)}"}`],
  ])('are found beside an entry that is %s', (reason, object) => {
    const { objects, skipped } = slice(bundle('{"type":"a"}', object, '{"type":"b"}'))
    expect(objects).toEqual(['{"type":"a"}', '{"type":"b"}'])
    expect(skipped).toEqual([expect.stringMatching(new RegExp(`^Object 2: .*${reason}`))])
  })

  it('are sliced with yields between skipped entries', () => {
    const slicing = sliceObjects(Buffer.from(bundle(...Array(2_000).fill('1'))), {
      ...LIMITS,
      objects: 2_000,
    })
    let step = slicing.next()
    let yields = 0
    for (; !step.done; step = slicing.next()) yields++
    expect(step.value.skipped).toHaveLength(2_000)
    expect(yields).toBeGreaterThanOrEqual(10)
  })

  it('are rejected if the surrounding text is not UTF-8', () => {
    const file = Buffer.from(bundle('{"type":"a"}').replace('bundle--1', 'bundle--\u0001'))
    file[file.indexOf(1)] = 0xff
    expect(() => slice(file)).toThrow('The file is not UTF-8.')
  })

  it('are sliced unchanged, whatever JSON they contain', { tags: 'long' }, () => {
    const spaces = fc.stringMatching(/^[ \n\r\t]{0,3}$/)
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }).map(text => JSON.stringify(text)),
      fc.constantFrom(
        '1.0',
        '9007199254740993',
        '1e999',
        '-0',
        'true',
        'null',
        String.raw`"\u0000\\\""`,
        '""',
      ),
    )
    const { object } = fc.letrec<{ value: string; object: string; list: string }>(tie => ({
      value: fc.oneof({ maxDepth: 5 }, leaf, tie('object'), tie('list')),
      object: fc
        .array(
          fc.tuple(spaces, fc.constantFrom('a', 'a', 'objects', '__proto__', '}'), spaces, tie('value')),
          {
            maxLength: 4,
          },
        )
        .map(
          all => `{${all.map(([s, name, t, value]) => `${s}${JSON.stringify(name)}${t}:${s}${value}${t}`)}}`,
        ),
      list: fc.array(tie('value'), { maxLength: 4 }).map(all => `[${all}]`),
    }))
    const property = fc.property(
      fc.array(object, { maxLength: 8 }),
      spaces,
      fc.boolean(),
      (objects, space, bare) => {
        const list = `[${space}${objects.join(`${space},`)}${space}]`
        const file = bare ? list : `{"a":{"objects":1},${space}"objects"${space}:${list},"b":[1,"]"]}`
        expect(slice(file).objects).toEqual(objects)
        for (const [n, each] of objects.entries()) expect(parseObject(each, n)).toEqual(JSON.parse(each))
      },
    )
    fc.assert(property, propertyRuns(500))
  })
})

const CASES = process.env.CASES
/** `CASES=dir npx vitest run packages/exchange/ -t real`: STIX files of other tools. */
test.skipIf(!CASES)('real files are split and reassembled unchanged', () => {
  const files = (readdirSync(CASES as string, { recursive: true }) as string[])
    .filter(name => name.endsWith('.json'))
    .map(name => join(CASES as string, name))
    .filter(path => statSync(path).isFile())
  let objects = 0
  const rejected: string[] = []
  for (const path of files) {
    const bytes = readFileSync(path)
    let parsed: { objects?: unknown[] } | unknown[]
    try {
      parsed = JSON.parse(bytes.toString().replace(/^\uFEFF/, ''))
    } catch {
      expect(() => slice(bytes)).toThrow(UnreadableFile)
      continue
    }
    try {
      const found = slice(bytes, { objects: 1e6, objectBytes: 2 ** 26, depth: 64 }).objects
      const wanted = Array.isArray(parsed)
        ? parsed
        : Array.isArray(parsed.objects)
          ? parsed.objects
          : [parsed]
      expect(found.map(each => JSON.parse(each))).toEqual(wanted)
      for (const each of found) expect(bytes.includes(each)).toBe(true)
      objects += found.length
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      rejected.push(`${path}: ${error.message}`)
    }
  }
  console.log(
    `${files.length} files, ${objects} objects; rejected: ${rejected.length}\n${rejected.slice(0, 20).join('\n')}`,
  )
  expect(objects).toBeGreaterThan(0)
})
