import { highestTlp, rankOfTlp, TLP_LEVELS, type Tlp } from '@iodine/contracts'
import { anIod } from '@iodine/test-kit/iods'
import { propertyRuns } from '@iodine/test-kit/runs'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { markingOf, parseObject, readStixObject, toMispEvent, toStixBundle } from '../src/index.js'
import { isOurs } from '../src/stix/ours.js'
import { tlpOfDefinition, tlpOfMarkingId, toMarking } from '../src/tlp.js'
import { campaign } from './campaigns.js'

const NONE = new Map<string, Tlp | null>()
const indicator = (pattern: string, more: object = {}) => ({
  type: 'indicator',
  id: 'indicator--1',
  created: '2026-01-01T00:00:00Z',
  modified: '2026-02-01T00:00:00Z',
  pattern,
  pattern_type: 'stix',
  ...more,
})
const iodOf = (pattern: string, more?: object) => readStixObject(indicator(pattern, more), NONE).iod

describe('an indicator represents an IOD', () => {
  test.each([
    ["[url:value = 'https://example.org/a?b=1']", 'URL', 'https://example.org/a?b=1'],
    ["[ domain-name:value='example.org' ]", 'DOMAIN', 'example.org'],
    ["[hostname:value = 'a.example.org']", 'DOMAIN', 'a.example.org'],
    ["[ipv4-addr:value = '198.51.100.3']", 'IP_ADDRESS', '198.51.100.3'],
    ["[ipv6-addr:value = '2001:db8::1']", 'IP_ADDRESS', '2001:db8::1'],
    ["[ipv4-addr:value = '10.0.0.0/8']", 'IP_ADDRESS', '10.0.0.0/8'],
    ["[ipv6-addr:value ISSUBSET '2001:db8::/32']", 'IP_ADDRESS', '2001:db8::/32'],
    [`[file:hashes.'SHA-256' = '${'a'.repeat(64)}']`, 'HASH', 'a'.repeat(64)],
    [`[file:hashes.MD5 = '${'b'.repeat(32)}']`, 'HASH', 'b'.repeat(32)],
    ["[user-account:account_login = 'ann']", 'USERNAME', 'ann'],
    [String.raw`[text:value = 'It\'s a \\ mirror']`, 'SENTENCE', String.raw`It's a \ mirror`],
  ])('%s', (pattern, category, value) => {
    expect(iodOf(pattern)).toMatchObject({ category, value, source_type: 'MANUAL', source: null })
  })

  it.each(['https://example.org/[x].pdf', 'https://example.org/a#b#c', 'https://e.org/100%/été'])(
    'with the URL %s before its encoding',
    value => {
      const bundle = toStixBundle(campaign([anIod({ category: 'URL', value, description: '' })]), {
        now: new Date(),
      })
      const found = bundle.objects.find(({ type }) => type === 'indicator')
      expect(readStixObject(found ?? {}, NONE).iod).toMatchObject({ value, category: 'URL', description: '' })
    },
  )

  it('with the fields in its labels, name and references', () => {
    const more = {
      labels: ['TITLE', 'TELEGRAM', 'other'],
      name: 'Mirrors',
      external_references: [
        { source_name: 'x' },
        { source_name: 'y', url: 'javascript:1' },
        { url: 'https://e.org/1' },
      ],
    }
    expect(iodOf("[text:value = 'Giant mirrors']", more)).toEqual({
      value: 'Giant mirrors',
      category: 'TITLE',
      description: 'Mirrors',
      source_type: 'TELEGRAM',
      source: 'https://e.org/1',
    })
  })

  test.each([
    "[url:value = 'https://a.org' AND url:value = 'https://b.org']",
    "[url:value = 'a'] FOLLOWEDBY [url:value = 'b']",
    "[url:value LIKE 'a%']",
    "[url:value != 'a']",
    "[email-addr:value = 'a@example.org']",
    "[file:name = 'a.exe']",
    "[__proto__:value = 'a']",
    "[constructor:name = 'a']",
    '[url:value = 5]',
    '',
    `[url:value = '${'\\'.repeat(30_000)}`,
  ])('but not with %s', pattern => {
    expect(iodOf(pattern.slice(0, 60_000))).toBeUndefined()
  })

  test.each([{ revoked: true }, { pattern_type: 'yara' }, { pattern: 7 }, { type: 'malware' }])(
    'nor with %o',
    more => {
      expect(iodOf("[url:value = 'https://a.org']", more)).toBeUndefined()
    },
  )

  it('unless its value cannot be stored, with a reason', () => {
    for (const value of ['a\0b', 'a\ud800b', ' ', 'x'.repeat(10_001)]) {
      const { iod, reason } = readStixObject(indicator(`[text:value = '${value}']`), NONE)
      expect([iod, typeof reason]).toEqual([undefined, 'string'])
    }
  })
})

describe('any object', () => {
  it('has an id, a version, and refs', () => {
    const relation = {
      type: 'relationship',
      id: 'r--1',
      created: 'c',
      source_ref: 'a--1',
      target_ref: 'b--2',
    }
    expect(readStixObject(relation, NONE)).toEqual({
      type: 'relationship',
      key: 'r--1',
      version: 'c',
      tlp: null,
      refs: ['a--1', 'b--2'],
    })
    expect(readStixObject({ ...relation, modified: 'm' }, NONE).version).toBe('m')
  })

  it('may be of any shape', () => {
    const shape = fc.dictionary(
      fc.constantFrom(
        'type',
        'id',
        'pattern',
        'labels',
        'object_marking_refs',
        'granular_markings',
        'source_ref',
        'extensions',
        'definition',
        'external_references',
        'name',
      ),
      fc.oneof(
        fc.anything(),
        fc.constantFrom('indicator', 'relationship', 'marking-definition', "[url:value = 'x']"),
      ),
    )
    fc.assert(
      fc.property(shape, object => {
        const read = readStixObject(object, NONE)
        expect(typeof read.key).toBe('string')
        markingOf(object)
      }),
      propertyRuns(100),
    )
  })

  test.each([
    '{"type":{"toString":1}}',
    '{"type":"x","object_marking_refs":[{"toString":1}]}',
    '{"type":"x","object_marking_refs":["marking-definition--34098fce-860f-48ae-8e50-ebd3cc5e41da",5]}',
  ])('belongs to another tool if it is malformed: %s', object => {
    expect(isOurs(JSON.parse(object))).toBe(false)
  })

  it('is rejected with its position if it is invalid JSON', () => {
    expect(() => parseObject('{"a":tru}', 7)).toThrow('Object 7 of the file is not valid JSON.')
  })
})

/** OpenCTI's representation of a marking that STIX 2.1 does not define. */
const OPENCTI = {
  definition_type: 'statement',
  definition: { statement: 'custom' },
  x_opencti_definition_type: 'TLP',
}

describe('TLP', () => {
  const ids = (level: Tlp) => toMarking(level).id

  it('is identified by the ids of both versions', () => {
    for (const level of TLP_LEVELS) expect(tlpOfMarkingId(ids(level))).toBe(level)
    expect(tlpOfMarkingId('marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9')).toBe('clear')
    expect(tlpOfMarkingId('marking-definition--e828b379-4e03-4974-9ac4-e53a884c97c1')).toBe('red')
    expect(tlpOfMarkingId('marking-definition--826578e1-40ad-459f-bc73-ede076f81f37')).toBe('amber+strict')
    expect(tlpOfMarkingId('marking-definition--94868c89-83c2-464b-929b-a1a8aa3c8487')).toBe('clear')
  })

  it('of an object is the strictest of its markings; an unknown marking counts as red, a statement as none', () => {
    const levelOf = (object: object, markings = NONE) =>
      readStixObject({ type: 'x', ...object }, markings).tlp
    const unknown = 'marking-definition--00000000-0000-4000-8000-000000000000'
    expect(levelOf({})).toBe(null)
    expect(levelOf({ object_marking_refs: [ids('green'), ids('amber')] })).toBe('amber')
    expect(
      levelOf({ object_marking_refs: [ids('green')], granular_markings: [{ marking_ref: ids('red') }] }),
    ).toBe('red')
    expect(levelOf({ granular_markings: [{ lang: 'en' }] })).toBe(null)
    expect(levelOf({ object_marking_refs: [unknown] })).toBe('red')
    expect(levelOf({ object_marking_refs: [unknown] }, new Map([[unknown, null]]))).toBe(null)
  })

  test.each([
    [{ definition_type: 'tlp', definition: { tlp: 'amber' } }, 'amber'],
    [{ definition_type: 'TLP', definition: { tlp: 'WHITE' } }, 'clear'],
    [{ name: 'TLP:AMBER+STRICT', extensions: { x: { tlp_2_0: 'amber+strict' } } }, 'amber+strict'],
    [{ definition_type: 'statement', definition: { statement: 'Copyright' } }, null],
    [{ definition_type: 'tlp', definition: { tlp: 'purple' } }, 'red'],
    [{ ...OPENCTI, x_opencti_definition: 'TLP:AMBER+STRICT' }, 'amber+strict'],
    [{ ...OPENCTI, x_opencti_definition: 'TLP:PURPLE' }, 'red'],
    [{ ...OPENCTI, x_opencti_definition_type: 'statement', x_opencti_definition: 'Copyright' }, null],
    [{ ...OPENCTI }, 'red'],
    [{ name: 'TLP:GREEN', definition_type: 'tlp', definition: { tlp: 'purple' } }, 'red'],
    [{ name: 'TLP:PURPLE', definition_type: 'tlp', definition: { tlp: 'green' } }, 'red'],
    [{ name: 'TLP:AMBER', definition_type: 'tlp', definition: { tlp: 'green' } }, 'amber'],
    [{ name: 'Ours', definition_type: 'tlp', definition: { tlp: 'green' } }, 'green'],
    [{ definition_type: 'statement', definition: { statement: '', tlp: { toString: 1 } } }, 'red'],
    [{ name: 'PAP:RED' }, 'red'],
  ])('is read from the definition %o', (definition, level) => {
    expect(tlpOfDefinition({ id: 'marking-definition--x', ...definition })).toBe(level)
  })

  it('of an exported object is at least the level of its IOD', () => {
    const level = fc.constantFrom(...TLP_LEVELS)
    const maybe = fc.option(level)
    fc.assert(
      fc.property(fc.array(fc.tuple(maybe, maybe), { maxLength: 5 }), level, (given, tlp) => {
        // Two categories of the same text share an observable.
        const iods = given.map((_, n) =>
          anIod({ value: `text ${n >> 1}`, category: n % 2 ? 'TITLE' : 'SENTENCE' }),
        )
        const statements = new Map(
          iods.map(({ id, created_at }, n) => [
            id,
            { uid: id, confidence: null, since: created_at, tlp: given[n]?.[0] ?? null },
          ]),
        )
        const standIns = new Map(
          iods.flatMap(({ id }, n) => {
            const own = given[n]?.[1]
            return own ? [[id, { id: `indicator--foreign-${n}`, tlp: own }] as const] : []
          }),
        )
        const { objects } = toStixBundle(campaign(iods), { now: new Date(), tlp, statements, standIns })
        const levels = new Map(
          objects.map(object => [object.id, highestTlp([readStixObject(object, NONE).tlp])] as const),
        )
        for (const object of objects) {
          const about = Object.values(object).flat()
          const [reference] = (object.external_references ?? []) as { external_id?: string }[]
          if (!object.object_marking_refs) continue
          const rank = (each: Tlp | null | undefined) => (each ? rankOfTlp(each) : -1)
          const own = rank(levels.get(object.id))
          expect(own).toBeGreaterThanOrEqual(rank(tlp))
          for (const [n, iod] of iods.entries()) {
            const isAboutIod =
              (object.type === 'text' && object.value === iod.value && !standIns.has(iod.id)) ||
              reference?.external_id === iod.id ||
              about.includes(standIns.get(iod.id)?.id)
            if (isAboutIod)
              expect(own).toBeGreaterThanOrEqual(Math.max(rank(given[n]?.[0]), rank(given[n]?.[1])))
          }
        }
        const [event] = toMispEvent(campaign(iods), { now: new Date(), tlp, statements }).Event.Tag
        const strictest = highestTlp([tlp, ...given.map(([level]) => level)])
        expect(event?.name).toBe(`tlp:${strictest}`)
        // The bundle contains every marking.
        const objectIds = new Set(objects.map(({ id }) => id))
        for (const { object_marking_refs } of objects)
          for (const ref of (object_marking_refs as string[] | undefined) ?? [])
            expect(objectIds).toContain(ref)
      }),
      propertyRuns(100),
    )
  })
})
