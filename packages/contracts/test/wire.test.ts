import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  adminApi,
  authApi,
  campaignsApi,
  collectorApi,
  communityApi,
  email,
  foldValue,
  graphApi,
  iodsApi,
  narrativesApi,
  newIod,
  profileApi,
  sourceReference,
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
  it('takes an empty description', () => expect(newIod.safeParse(good).success).toBe(true))
  it.each([
    { ...good, value: '  ' },
    { ...good, category: 'OTHER' },
    { ...good, source_id: 3 },
    { ...good, votes: [] },
    { ...good, value: 'x'.repeat(10_001) },
  ])('refuses %#', body => expect(newIod.safeParse(body).success).toBe(false))
})

it('folds values that a reader takes for the same', () => {
  expect(foldValue(' E\u0301COLE ')).toBe(foldValue('école'))
  expect(foldValue('a b')).not.toBe(foldValue('ab'))
})

it('reads filter times without a zone as UTC and ignores blank filters', () => {
  const { query } = graphApi.getTriplets
  expect(query.parse({ start_date: '2026-01-02T03:04', end_date: ' ', entity: '   ' })).toEqual({
    start_date: new Date('2026-01-02T03:04:00Z'),
  })
  expect(query.parse({ start_date: '2026-01-02' }).start_date).toEqual(new Date('2026-01-02T00:00:00Z'))
  expect(query.safeParse({ start_date: 'yesterday' }).success).toBe(false)
})

it('every endpoint can be written down as JSON Schema', () => {
  const all = [
    authApi,
    profileApi,
    adminApi,
    collectorApi,
    iodsApi,
    campaignsApi,
    narrativesApi,
    graphApi,
    communityApi,
  ]
  for (const spec of all.flatMap(api => Object.values(api)) as { response: z.ZodType; body?: z.ZodType }[]) {
    expect(z.toJSONSchema(spec.response, { unrepresentable: 'any' })).toHaveProperty('$schema')
    if (spec.body)
      expect(z.toJSONSchema(spec.body, { unrepresentable: 'any', io: 'input' })).toHaveProperty('$schema')
  }
})
