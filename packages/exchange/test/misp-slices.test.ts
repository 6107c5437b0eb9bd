import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Iod } from '@iodine/contracts'
import { propertyRuns } from '@iodine/test-kit'
import { anIod } from '@iodine/test-kit/iods'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { UnreadableFile } from '../src/index.js'
import { openFile, readPiece } from '../src/intake/index.js'
import { type Additions, additionsOf, type ImportedEvent, overlayEvent } from '../src/misp/index.js'
import { sliceEvents } from '../src/misp/slices.js'
import { campaign } from './campaigns.js'

const BOUNDS = { objects: 10_000, objectBytes: 4_194_304, depth: 64 }
const NO_ADDITIONS: Additions = { Attribute: [], Object: [], Tag: [], timestamp: null }

/** Returns a file's events, each with its parsed pieces. */
const open = (text: string | Uint8Array, bounds = BOUNDS) => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : Buffer.from(text)
  const opening = openFile('misp', bytes, bounds)
  let step = opening.next()
  while (!step.done) step = opening.next()
  const file = step.value
  const pieces = file.spans.map(([from, to], order) => {
    const place = file.places?.[order]
    if (place?.format !== 'misp') throw new Error('no place')
    const raw = file.bytes.subarray(from, to)
    return { raw, order, place, known: readPiece('misp', raw, order, file, place) }
  })
  const events = pieces.filter(({ place, order }) => place.event === order)
  return events.map(({ order, place, known }) => {
    const own = pieces.filter(each => each.place.event === order)
    const kept: ImportedEvent = {
      order,
      version: known.version,
      tlp: place.tlp,
      strictest: place.tlp,
      techniques: new Set(own.flatMap(each => each.known.techniques)),
      joints: place.joints ?? expect.unreachable(),
    }
    return { kept, pieces: own }
  })
}
type Opened = ReturnType<typeof open>[number]

/** Returns the written event. */
const write = async (
  { kept, pieces }: Opened,
  {
    add = NO_ADDITIONS,
    hide = () => false,
    iodOf = () => undefined,
  }: {
    add?: Additions
    hide?: (piece: Opened['pieces'][number]) => boolean
    iodOf?: (piece: Opened['pieces'][number]) => Iod | undefined
  } = {},
) => {
  async function* all() {
    for (const piece of pieces) yield { ...piece, isHidden: hide(piece), iod: iodOf(piece) }
  }
  const written: Uint8Array[] = []
  for await (const some of overlayEvent(kept, all(), add)) written.push(some)
  return Buffer.concat(written).toString()
}
const only = (events: Opened[]): Opened => events[0] ?? expect.unreachable()

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const attribute = (n: number, type: string, value: string, more = '') =>
  `{"uuid":"${uuid(n)}", "type":"${type}","value":${JSON.stringify(value)},"timestamp":"1700000000"${more}}`

describe('a MISP event', () => {
  const traps = [
    ['without lists', '{"info":"x"}'],
    ['with empty lists', '{"info":"x","Attribute":[ ],"Object" : [],"Tag":[ ]}'],
    [
      'with numbers that JavaScript formats differently, duplicate names, escapes',
      String.raw`{ "info":"\u0000\ud800 \/","x":1.0,"big":9007199254740993,"e":1e999,"info":"y","__proto__":{"a":1},"Attribute":[{"type":"x","value":"a","value":"b","n":-0}]}`,
    ],
    [
      'with duplicate lists',
      `{"info":"x","Attribute":[${attribute(1, 'url', 'https://a.org/1')}],"Attribute":[${attribute(2, 'url', 'https://a.org/2')}]}`,
    ],
    [
      'with objects, references, reports, and odd white space',
      `{\r\n "uuid":"${uuid(9)}","info":"x" , "Object":[ {"name":"url","uuid":"${uuid(3)}","Attribute":[ ${attribute(1, 'url', 'https://a.org/1')} , ${attribute(2, 'text', 'x')}\n],"ObjectReference":[{"referenced_uuid":"${uuid(1)}"}]}\t,\n{"name":"empty"},{"Attribute":[],"name":"z"} ] ,"EventReport":[{"uuid":"${uuid(4)}","content":"@[attribute](${uuid(1)})"}],"Galaxy":[{"GalaxyCluster":[]}] }`,
    ],
    ['with unknown members', '{"info":"x","Attribute":null,"Object":{"a":[1]},"New":[1,{"Attribute":[{}]}]}'],
  ] as const

  test.each(traps)('is preserved unchanged: %s', async (_, event) => {
    for (const file of [
      event,
      `{"Event":${event}}`,
      `\uFEFF {"errors":[], "Event" : ${event} }`,
      `{"response":[{"Event":${event}},{"Event":${event}}]}`,
      `[${event}]`,
      `[{"Event":${event}}, ${event}]`,
    ])
      for (const opened of open(file)) expect(await write(opened)).toBe(event)
  })

  test.each([
    ['', /MISP|JSON/],
    ['[]', /not a MISP event/],
    ['{}', /not a MISP event/],
    ['{"Event":[]}', /not a MISP event/],
    ['{"Event":{}}', /not a MISP event/],
    ['{"response":{"Attribute":[]}}', /not a MISP event/],
    ['{"response":[{"response":[{"Event":{"info":"x"}}]}]}', /not a MISP event/],
    ['{"Event":{"info":"x"},"Event":{"info":"y"}}', /“Event” twice/],
    ['{"type":"bundle","objects":[]}', /not a MISP event/],
    ['{"Event":{"info":"x","Attribute":[1]}}', /Object 1 of the file is not an object/],
    ['{"Event":{"info":"x","Attribute":[{"a":tru}]}}', /not valid JSON/],
    ['{"Event":{"info":"x","a":tru}}', /not valid JSON/],
    ['{"Event":{"info":"x"}} more', /not valid JSON/],
    ['{"Event":{"info":"x"', /not valid JSON/],
    [`{"Event":{"info":"x","a":${'['.repeat(70)}${']'.repeat(70)}}}`, /nested deeper/],
    [`{"info":"x","Attribute":[${Array.from({ length: 10_001 }, () => '{}')}]}`, /more than 10000/],
    [`{"response":[${'1,'.repeat(10_000)}{"info":"x"}]}`, /more than 10000 objects/],
    [`{"info":"${'x'.repeat(4_194_305)}"}`, /larger than/],
  ])('is rejected if it is invalid (%#)', (file, message) => {
    expect(() => open(file)).toThrow(UnreadableFile)
    expect(() => open(file)).toThrow(message)
  })

  it('yields between skipped entries', () => {
    const file = Buffer.from(`{"response":[${'1,'.repeat(2_000)}{"info":"x"}]}`)
    const slicing = sliceEvents(file, BOUNDS)
    let step = slicing.next()
    let yields = 0
    for (; !step.done; step = slicing.next()) yields++
    expect(step.value.skipped).toHaveLength(2_000)
    expect(yields).toBeGreaterThanOrEqual(10)
  })

  it('is rejected if it is not UTF-8', () => {
    const file = Buffer.from(`{"info":"x","Attribute":[{"value":"\u0001"}]}`)
    file[file.indexOf(1)] = 0xff
    expect(() => open(file)).toThrow('of the file is not UTF-8.')
  })

  it('yields IODs from its attributes, and from those of its objects', () => {
    const tag = (name: string) => ({ name })
    const tags = (...names: string[]) => `,"Tag":${JSON.stringify(names.map(tag))}`
    const event = `{"info":"x","Tag":[{"name":"tlp:green"}],"Attribute":[${[
      attribute(1, 'url', 'https://a.org/1', tags('tlp:amber', 'iodine:source-type="TELEGRAM"')),
      attribute(2, 'hostname', 'a.example.org', ',"comment":"said"'),
      attribute(3, 'ip-dst', '10.0.0.1'),
      attribute(4, 'sha1', 'a'.repeat(40), ',"deleted":true'),
      attribute(5, 'text', 'Mirrors', tags('iodine:category="TITLE"')),
      attribute(6, 'text', 'Mirrors heat'),
      attribute(7, 'email-src', 'a@example.org'),
      attribute(8, 'url', ' '),
      attribute(9, 'md5', 'b'.repeat(32), tags('tlp:purple')),
    ]}],"Object":[{"name":"o","Attribute":[${attribute(10, 'text', 'inner')},${attribute(11, 'domain', 'b.org')}]}]}`
    const found = only(open(event)).pieces.flatMap(({ known }) => (known.iod || known.reason ? [known] : []))
    expect(found.map(({ iod, reason, tlp }) => [iod?.category ?? reason, iod?.value, tlp])).toEqual([
      ['URL', 'https://a.org/1', 'amber'],
      ['DOMAIN', 'a.example.org', 'green'],
      ['IP_ADDRESS', '10.0.0.1', 'green'],
      ['TITLE', 'Mirrors', 'green'],
      ['SENTENCE', 'Mirrors heat', 'green'],
      ['The value is missing', undefined, 'green'],
      ['HASH', 'b'.repeat(32), 'red'],
      ['DOMAIN', 'b.org', 'green'],
    ])
    expect(found[0]?.iod?.source_type).toBe('TELEGRAM')
    expect(found[1]?.iod?.description).toBe('said')
  })

  it('may have members of any shape', () => {
    const event =
      '{"info":"x","Galaxy":[{"GalaxyCluster":[{"type":"disarm-techniques","value":{"toString":1}}]}],"Attribute":[{"type":"url","value":{"toString":1}},{"type":"url","value":["x"]}]}'
    const { kept, pieces } = only(open(event))
    expect([...kept.techniques]).toEqual([])
    expect(pieces.flatMap(({ known }) => known.reason ?? [])).toEqual([
      'The value is missing',
      'The value is missing',
    ])
  })

  it('yields techniques from tags and clusters, in both formats', () => {
    const name = 'Facilitate State Propaganda'
    const event = {
      info: 'x',
      Tag: [{ name: `misp-galaxy:disarm-techniques="${name}"` }],
      Attribute: [{ type: 'x', Tag: [{ name: 'misp-galaxy:disarm-techniques="T0003 - Leverage"' }] }],
      Galaxy: [
        { GalaxyCluster: [{ type: 'disarm-techniques', value: 'Degrade Adversary' }] },
        {
          GalaxyCluster: [
            { tag_name: 'misp-galaxy:disarm-techniques="T0023.001"' },
            { type: 'threat-actor' },
          ],
        },
      ],
    }
    expect([...only(open(JSON.stringify(event))).kept.techniques].sort()).toEqual([
      'T0002',
      'T0003',
      'T0023.001',
      'T0066',
    ])
  })

  it('omits hidden elements at any position, and stays valid JSON', async () => {
    const list = (from: number) => [0, 1, 2].map(n => attribute(from + n, 'url', `https://a.org/${from + n}`))
    const event = `{"info":"x","Attribute":[${list(1).join(' , ')}],"Object":[{"name":"a","uuid":"${uuid(20)}","Attribute":[${list(4)}]},{"name":"b","uuid":"${uuid(21)}","Attribute":[${list(7)}]}]}`
    const opened = only(open(event))
    const all = Array.from({ length: 9 }, (_, n) => uuid(n + 1))
    await fc.assert(
      fc.asyncProperty(fc.subarray([...all, uuid(20), uuid(21)]), fc.boolean(), async (hidden, isAdded) => {
        const add = { ...NO_ADDITIONS, Attribute: ['{"new":1}'], Object: ['{"new":2}'], Tag: ['{"new":3}'] }
        const written = await write(opened, {
          hide: ({ known }) => hidden.includes(known.key),
          ...(isAdded && { add }),
        })
        const file = JSON.parse(written)
        const remaining = [
          ...file.Attribute,
          ...file.Object.flatMap((each: { Attribute?: [] }) => each.Attribute ?? []),
        ]
        const omitted = [
          ...hidden,
          ...(hidden.includes(uuid(20)) ? all.slice(3, 6) : []),
          ...(hidden.includes(uuid(21)) ? all.slice(6) : []),
        ]
        expect(remaining.flatMap(each => each.uuid ?? [])).toEqual(
          all.filter(each => !omitted.includes(each)),
        )
        expect([file.Attribute.at(-1)?.new, file.Object.at(-1)?.new, file.Tag]).toEqual(
          isAdded ? [1, 2, [{ new: 3 }]] : [undefined, undefined, undefined],
        )
      }),
      propertyRuns(100),
    )
  })

  test.each([
    '{"info":"x","timestamp":"1700000000","Attribute":[{"uuid":"A"}],"Object":[],"Tag":[{"name":"a"} ]}',
    '{"Tag":[],"info":"x","timestamp":1700000000,"Attribute":[ ]}',
    '{"info":"x"}',
    '{"uuid":"x"  }',
  ])('contains the additions, and is otherwise unchanged (%#)', async event => {
    const opened = only(open(event))
    const add = {
      Attribute: ['{"a":1}', '{"a":2}'],
      Object: ['{"o":1}'],
      Tag: ['{"name":"new"}'],
      timestamp: '1800000000',
    }
    const { Attribute = [], Object: objects = [], Tag = [], timestamp, ...rest } = JSON.parse(event)
    expect(JSON.parse(await write(opened, { add }))).toEqual({
      ...rest,
      ...(timestamp && { timestamp: typeof timestamp === 'number' ? 1800000000 : '1800000000' }),
      Attribute: [...Attribute, { a: 1 }, { a: 2 }],
      Object: [...objects, { o: 1 }],
      Tag: [...Tag, { name: 'new' }],
    })
    expect(await write(opened, { add: { ...NO_ADDITIONS, timestamp: '1600000000' } })).toBe(event)
  })

  it('contains votes and comments once, in the attribute of their IOD', async () => {
    const votes = [
      {
        id: 'a'.repeat(24),
        user_id: null,
        username: 'bo',
        vote_type: 'POSITIVE' as const,
        created_at: '2026-11-01T00:00:00.000Z',
      },
    ]
    const iod = anIod({ category: 'URL', value: 'https://a.org/1', votes })
    const event = `{"info":"x","timestamp":"1","Attribute":[${attribute(1, 'url', 'https://a.org/1')},${attribute(2, 'url', 'https://a.org/2', ',"Opinion":[{"uuid":"theirs"}]')}]}`
    const opened = only(open(event))
    const detail = campaign([iod])
    const standIns = new Map([[iod.id, { id: uuid(1), tlp: null }]])
    const add = additionsOf(detail, { now: new Date(), standIns }, opened.kept)
    expect(add).toMatchObject({ Attribute: [], Object: [], Tag: [] })
    const written = await write(opened, { add, iodOf: ({ known }) => (known.iod ? iod : undefined) })
    const [one, two] = JSON.parse(written).Attribute
    expect(one.Opinion).toEqual([
      expect.objectContaining({ object_uuid: uuid(1), opinion: '100', authors: 'bo' }),
    ])
    expect(two.Opinion).toEqual([{ uuid: 'theirs' }, expect.objectContaining({ opinion: '100' })])
    const reopened = only(open(written))
    expect(await write(reopened, { iodOf: ({ known }) => (known.iod ? iod : undefined) })).toBe(written)
  })

  it('is split and reassembled byte for byte, whatever it contains', async () => {
    const spaces = fc.stringMatching(/^[ \n\r\t]{0,3}$/)
    const names = [
      'Attribute',
      'Object',
      'Tag',
      'ObjectReference',
      'Galaxy',
      'timestamp',
      'uuid',
      'x',
      '__proto__',
    ]
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }).map(text => JSON.stringify(text)),
      fc.constantFrom(
        '1.0',
        '9007199254740993',
        '1e999',
        '-0',
        'true',
        'null',
        String.raw`"\u0000\ud800\\\""`,
        '""',
      ),
    )
    const { object } = fc.letrec<{ value: string; object: string; list: string }>(tie => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, tie('object'), tie('list')),
      object: fc
        .array(fc.tuple(spaces, fc.constantFrom(...names), spaces, tie('value')), { maxLength: 4 })
        .map(
          all => `{${all.map(([s, name, t, value]) => `${s}${JSON.stringify(name)}${t}:${s}${value}${t}`)}}`,
        ),
      // The elements of MISP's lists are objects.
      list: fc
        .array(tie('object'), { maxLength: 4 })
        .chain(all => spaces.map(s => `[${s}${all.join(`${s},${s}`)}${s}]`)),
    }))
    const property = fc.asyncProperty(
      fc.array(object, { minLength: 1, maxLength: 4 }),
      spaces,
      async (all, s) => {
        const events = all.map(each => `{${s}"info"${s}:"x"${each === '{}' ? '' : ','}${each.slice(1)}`)
        const opened = open(
          `{"response"${s}:[${events.map(each => `{"Event":${s}${each}${s}}`).join(`,${s}`)}]}`,
        )
        expect(await Promise.all(opened.map(each => write(each)))).toEqual(events)
      },
    )
    await fc.assert(property, propertyRuns(500))
  }, 3_600_000)
})

const CASES = process.env.CASES
/** `CASES=dir npx vitest run packages/exchange/test/misp-slices -t real`: MISP events of other tools. */
test.skipIf(!CASES)('real files are split and reassembled unchanged', async () => {
  const files = (readdirSync(CASES as string, { recursive: true }) as string[])
    .filter(name => name.endsWith('.json'))
    .map(name => join(CASES as string, name))
  const counts = { events: 0, pieces: 0, iods: 0 }
  const rejected: string[] = []
  for (const path of files) {
    const bytes = readFileSync(path)
    let opened: Opened[]
    try {
      opened = open(bytes, { ...BOUNDS, objects: 1e6, objectBytes: 2 ** 26 })
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error
      rejected.push(`${path}: ${error.message}`)
      continue
    }
    for (const each of opened) {
      const written = await write(each)
      expect(bytes.includes(written)).toBe(true)
      const { info, uuid } = JSON.parse(written) as { info?: unknown; uuid?: unknown }
      expect([typeof info, typeof uuid, /"(Attribute|Object)"/.test(written) && 'string']).toContain('string')
      counts.events++
      counts.pieces += each.pieces.length
      counts.iods += each.pieces.filter(({ known }) => known.iod).length
    }
  }
  console.log(`${files.length} files`, counts, `rejected: ${rejected.length}\n${rejected.join('\n')}`)
  expect(counts.events).toBeGreaterThan(0)
})
