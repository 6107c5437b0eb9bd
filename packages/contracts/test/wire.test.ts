import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  communityApi,
  email,
  foldIod,
  foldValue,
  graphApi,
  iodAnalyticsApi,
  LIMITS,
  narrativesApi,
  newIod,
  OPERATIONS,
  paths,
  periodBefore,
  sourceReference,
  tiktokRecord,
} from '../src/index.js'

describe('source references', () => {
  it.each(['https://a.example/x?y=1', 'http://[::1]/', 'notes/source 1.txt', '/var/post', 'page.html'])(
    'accepts %s',
    value => expect(sourceReference.safeParse(value).success).toBe(true),
  )
  it.each([
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,x',
    'FILE:///etc/passwd',
    '//evil.example',
    'http://',
    '',
    ' \u0001javascript:x',
  ])('refuses %j', value => expect(sourceReference.safeParse(value).success).toBe(false))
})

describe('e-mail addresses', () => {
  it('are compared trimmed and lower-cased', () =>
    expect(email.parse('  Ana@Example.ORG ')).toBe('ana@example.org'))
  it.each([
    ['e\u0301@example.org', '\u00e9@example.org'],
    [
      '\u0415\u041b\u0415\u041d\u0410@\u041f\u043e\u0447\u0442\u0430.example',
      '\u0435\u043b\u0435\u043d\u0430@xn--80a1acny.example',
    ],
    ['a@XN--BCHER-KVA.example', 'a@xn--bcher-kva.example'],
    ['a@b\u00fccher.example', 'a@xn--bcher-kva.example'],
    [
      '\u039d\u0399\u039a\u039f\u03a3.\u03a0@example.org',
      '\u03bd\u03b9\u03ba\u03bf\u03c2.\u03c0@example.org',
    ],
    [
      '\u03bd\u03b9\u03ba\u03bf\u03c2.\u03c0@example.org',
      '\u03bd\u03b9\u03ba\u03bf\u03c2.\u03c0@example.org',
    ],
  ])('normalizes %s to %s', (written, address) => {
    expect(email.parse(written)).toBe(address)
    expect(email.parse(address)).toBe(address)
  })
  it.each(['jörg@müller.example', 'a@b', "o'neil+x@example.co.uk"])('accepts %s', value =>
    expect(email.safeParse(value).success).toBe(true),
  )
  it.each(['', 'a', 'a@', '@b', 'a b@c.d', 'a@b@c', 'a@b..c', 'a\r\nBcc: x@y.z@b.c', 'x,y@z.example'])(
    'refuses %j',
    value => expect(email.safeParse(value).success).toBe(false),
  )
})

describe('new IODs', () => {
  const good = { value: 'x', category: 'URL', description: '', source_type: 'MANUAL' }
  it('accepts an empty description', () => expect(newIod.safeParse(good).success).toBe(true))
  it.each([
    { ...good, value: '  ' },
    { ...good, category: 'OTHER' },
    { ...good, source_id: 3 },
    { ...good, votes: [] },
    { ...good, value: 'x'.repeat(10_001) },
  ])('refuses %#', body => expect(newIod.safeParse(body).success).toBe(false))
})

it('folds values that look the same to equal ones', () => {
  expect(foldValue(' E\u0301COLE ')).toBe(foldValue('école'))
  expect(foldValue('a b')).not.toBe(foldValue('ab'))
  const folded = (category: string, value: string) => foldIod({ category, value })
  expect(['#Lake', ' ##lake', '# lake '].map(value => folded('HASHTAGS', value))).toEqual(
    Array(3).fill('lake'),
  )
  expect([folded('HASHTAGS', '#'), folded('KEYWORDS', '#Lake')]).toEqual(['#', '#lake'])
})

it('reads filter times without a zone as UTC and ignores blank filters', () => {
  const { query } = graphApi.getTriplets
  expect(query.parse({ start_date: '2026-01-02T03:04', end_date: ' ', entity: '   ' })).toEqual({
    start_date: new Date('2026-01-02T03:04:00Z'),
  })
  expect(query.parse({ start_date: '2026-01-02' }).start_date).toEqual(new Date('2026-01-02T00:00:00Z'))
  expect(query.safeParse({ start_date: 'yesterday' }).success).toBe(false)
})

describe('texts', () => {
  it.each(['x', '\u044f', '\u6f22', '\u{1f600}', '\u{20000}'])('count %s as one character', letter => {
    const query = (n: number) => narrativesApi.listNarratives.query.safeParse({ q: letter.repeat(n) })
    expect(query(LIMITS.searchMax).success).toBe(true)
    expect(query(LIMITS.searchMax + 1).error?.issues[0]?.message).toBe('must have at most 200 characters')
  })
})

describe('periods', () => {
  const NAMES = ['start_date', 'from', 'since', 'end_date', 'to', 'until']
  /** The schemas of bounds of periods, by operation: `from` and `to` may also be numbers or ids. */
  const bounds = OPERATIONS.flatMap(({ name, spec: { query, body } }) =>
    [query, body].flatMap(schema => {
      const shape = (schema as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {}
      // Of a zone, the bounds are days; a reply to a report is from a person.
      if ('zone' in shape || name === 'replyToReport') return []
      return NAMES.filter(bound => shape[bound]?.safeParse('2026-01-02').success).map(
        bound => [name, bound, shape[bound] as z.ZodType] as const,
      )
    }),
  )
  it('are bounded in the graph, the audit log, Origins and co-shares', () =>
    expect(bounds.map(([name, bound]) => `${name} ${bound}`).sort()).toEqual(
      [
        ...['getTriplets', 'listTexts', 'listMentions'].flatMap(name => [
          `${name} start_date`,
          `${name} end_date`,
        ]),
        ...['listAudit', 'exportAudit'].flatMap(name => [`${name} from`, `${name} to`]),
        ...['searchSightings', 'createRun'].flatMap(name => [`${name} since`, `${name} until`]),
      ].sort(),
    ))
  it.each(bounds)('%s reads %s: days are whole, in UTC, and exist', (_name, bound, schema) => {
    const isEnd = NAMES.indexOf(bound) > 2
    const at = (text: string) => new Date(schema.parse(text) as string | Date).toISOString()
    expect(at('2024-02-29')).toBe(`2024-02-29T${isEnd ? '23:59:59.999' : '00:00:00.000'}Z`)
    expect(at('2026-01-02T03:04')).toBe('2026-01-02T03:04:00.000Z')
    expect(at('2026-01-02T03:04:05 02:00')).toBe('2026-01-02T01:04:05.000Z')
    expect(at('2026-01-02T03:04:05-0130')).toBe('2026-01-02T04:34:05.000Z')
    for (const impossible of [
      '2025-02-29',
      '2026-13-01',
      '2026-01-02T25:00',
      '2026-01-02T03:04+99:00',
      '2026',
    ])
      expect(schema.safeParse(impossible).success).toBe(false)
  })
})

describe('periods of a zone', () => {
  const analyze = (query: object) => iodAnalyticsApi.analyzeIods.query.safeParse(query)
  it.each([
    [{ from: '2026-11-02', to: '2026-11-01' }, 'must not be before from'],
    [{ from: '1926-11-02', to: '2026-11-01' }, 'must be at most 400 days after from'],
    [{ from: '2026-02-30', to: '2026-11-01' }, 'must be a day such as 2026-11-28'],
    [
      { from: '2026-11-01', to: '2026-11-02', zone: 'Mars/Olympus' },
      'must be a time zone such as Europe/Paris',
    ],
  ])('%j is refused: it %s', (query, message) =>
    expect(analyze(query).error?.issues.map(issue => issue.message)).toContain(message),
  )
  it('is compared with the days before it', () => {
    expect(analyze({ from: '2026-11-01', to: '2026-11-30' }).data).toMatchObject({
      zone: 'UTC',
      compare: false,
    })
    expect(periodBefore({ from: '2026-11-01', to: '2026-11-30' })).toEqual({
      from: '2026-10-02',
      to: '2026-10-31',
    })
  })
})

describe('times that clients send', () => {
  const start = (start_date: string) => graphApi.getTriplets.query.safeParse({ start_date })
  it.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2025-02-28T23:59', '2025-02-28T23:59:00.000Z'],
    ['2025-12-31 23:59:59', '2025-12-31T23:59:59.000Z'],
    ['2025-12-31t23:59:59.123456z', '2025-12-31T23:59:59.123Z'],
    ['2025-12-31T23:59:59+05:30', '2025-12-31T18:29:59.000Z'],
    ['2025-12-31T23:59:59-0530', '2026-01-01T05:29:59.000Z'],
  ])('%s is parsed to %s', (text, time) => expect(start(text).data?.start_date).toEqual(new Date(time)))
  it.each([
    '2025-02-30T00:00:00Z',
    '2025-02-29',
    '2025-04-31T00:00',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '2025-01-32',
    '2025-01-01T24:00:00Z',
    '2025-01-01T00:60:00Z',
    '2025-01-01T00:00:60Z',
    '2025-01-01T00:00:00+24:00',
    '2025-01-01+02:00',
    '2025-01-01T',
    '2025-01-01T00:00 Z',
    '2025-01-01T00:00T00:00',
    '12025-01-01',
    '1735689600',
  ])('%s is rejected, in a query and in a record', text => {
    expect(start(text).error?.issues[0]?.message).toBe('must be an ISO 8601 time')
    const record = { main: { video_id: '1' }, collector_metadata: { fetch_timestamp: text, source: 'x' } }
    expect(tiktokRecord.safeParse(record).error?.issues[0]?.message).toBe('must be an ISO 8601 time')
  })
})

describe('numbers in a query', () => {
  const { query } = communityApi.listUsers
  const fault = (of: object) => query.safeParse(of).error?.issues[0]?.message
  it('accept a skip of up to 2^31 - 1', () => {
    expect(query.parse({ skip: '1000000000' })).toEqual({ skip: 1_000_000_000 })
    expect(query.parse({ skip: '2147483647' })).toEqual({ skip: 2_147_483_647 })
  })
  it.each([
    [{ skip: '2147483648' }, 'must be at most 2147483647'],
    [{ skip: '9'.repeat(400) }, 'must be at most 2147483647'],
    [{ skip: '-1' }, 'must be a whole number'],
    [{ skip: '1.5' }, 'must be a whole number'],
    [{ limit: '0' }, 'must be at least 1'],
    [{ limit: '1000000000000' }, 'must be at most 100'],
  ])('%j: %s', (of, message) => expect(fault(of)).toBe(message))
})

it('every endpoint has a JSON Schema', () => {
  for (const { spec } of OPERATIONS) {
    expect(z.toJSONSchema(spec.response, { unrepresentable: 'any' })).toHaveProperty('$schema')
    if (spec.body)
      expect(z.toJSONSchema(spec.body, { unrepresentable: 'any', io: 'input' })).toHaveProperty('$schema')
  }
})

it('a link to co-shares opens their tab with its query', () =>
  expect(paths.coShares({ iod: 'a' })).toBe('/dashboard/graph?tab=co-shares&iod=a'))
