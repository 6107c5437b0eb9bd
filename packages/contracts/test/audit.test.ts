import { expect, it } from 'vitest'
import { z } from 'zod'
import { AUDIT_ACTION_NAMES, type AuditEntry, auditEntry } from '../src/index.js'

const entry: AuditEntry = {
  id: '0123456789abcdef01234567',
  at: '2026-01-02T03:04:05.678Z',
  action: 'account.suspended',
  outcome: 'done',
  actor: { kind: 'user', id: 'f'.repeat(24) },
  via: 'web',
  network: '192.0.2.0/24',
  subject: { kind: 'account', id: 'a'.repeat(24) },
  item: 'b'.repeat(24),
  count: 3,
  times: 1,
  detail: 'csv',
  request_id: '01234567-89ab-cdef-0123-456789abcdef',
  settings: [{ name: 'LOG_LEVEL', change: 'changed', fingerprint: '0123456789abcdef' }],
  checkpoint: { seq: 1, hash: 'c'.repeat(64) },
}

/** Paths of all values of an entry that are not objects or lists. */
const leaves = (value: unknown, path: (string | number)[] = []): (string | number)[][] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
    : [path]

const withValue = (path: readonly (string | number)[], value: unknown): unknown => {
  const copy = structuredClone(entry) as unknown as Record<string | number, unknown>
  let at = copy
  for (const name of path.slice(0, -1)) at = at[name] as Record<string | number, unknown>
  at[path.at(-1) as string] = value
  return copy
}

it('accepts a complete entry', () => expect(auditEntry.parse(entry)).toEqual(entry))

it('accepts no secret, link, name, address or text in any field', () => {
  const paths = leaves(entry)
  expect(paths.length).toBeGreaterThanOrEqual(20)
  for (const text of [
    'sk-live-canary-7d0c51f4',
    'https://iodine.example/auth/verify?token=abc',
    'ana@example.org',
    'Ana_Writer',
    'a secret',
    'secret',
    '192.0.2.7',
    '2001:db8:1:2::3',
    '=1+1',
    '',
    'x'.repeat(24),
    'G'.repeat(64),
  ])
    for (const path of paths)
      expect([path.join('.'), text, auditEntry.safeParse(withValue(path, text)).success]).toEqual([
        path.join('.'),
        text,
        false,
      ])
})

it('accepts no unknown field, at any depth', () => {
  for (const path of [
    ['note'],
    ['actor', 'name'],
    ['subject', 'value'],
    ['settings', 0, 'value'],
    ['checkpoint', 'x'],
  ])
    expect(auditEntry.safeParse(withValue(path, 'x')).success).toBe(false)
})

it('consists only of patterns of fixed form, enums, numbers and times', () => {
  const open: string[] = []
  const visit = (schema: unknown, path: string): void => {
    const {
      type,
      properties,
      items,
      anyOf,
      enum: words,
      pattern,
      format,
      const: one,
    } = schema as Record<string, never>
    if (properties) for (const [name, inner] of Object.entries(properties)) visit(inner, `${path}.${name}`)
    else if (items) visit(items, `${path}[]`)
    else if (anyOf) for (const inner of anyOf as unknown[]) visit(inner, path)
    else if (type === 'string' && !words && !pattern && !format && !one) open.push(path)
  }
  visit(z.toJSONSchema(auditEntry), 'entry')
  expect(open).toEqual([])
})

it('names actions by subject and outcome', () => {
  for (const name of AUDIT_ACTION_NAMES) expect(name).toMatch(/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/)
})
