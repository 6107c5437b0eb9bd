import { expect } from 'vitest'
import type { StixObject } from '../src/index.js'

/** Required properties of STIX 2.1 by type, transcribed from the standard's tables. */
const COMMON = ['spec_version', 'id', 'created', 'modified']
export const REQUIRED: Record<string, string[]> = {
  identity: [...COMMON, 'name'],
  'marking-definition': ['spec_version', 'id', 'created', 'definition_type', 'definition'],
  campaign: [...COMMON, 'name'],
  'attack-pattern': [...COMMON, 'name'],
  grouping: [...COMMON, 'context', 'object_refs'],
  indicator: [...COMMON, 'pattern', 'pattern_type', 'valid_from'],
  relationship: [...COMMON, 'relationship_type', 'source_ref', 'target_ref'],
  opinion: [...COMMON, 'opinion', 'object_refs'],
  note: [...COMMON, 'content', 'object_refs'],
  narrative: [...COMMON, 'name', 'extensions'],
  url: ['id', 'value'],
  'domain-name': ['id', 'value'],
  'ipv4-addr': ['id', 'value'],
  'ipv6-addr': ['id', 'value'],
  file: ['id', 'hashes'],
  'user-account': ['id', 'account_login'],
  text: ['id', 'value', 'extensions'],
  'extension-definition': [...COMMON, 'created_by_ref', 'name', 'schema', 'version', 'extension_types'],
}
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** `pchar` of RFC 3986. */
const PCHAR = "(?:[\\w\\-.~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})"
export const URI = new RegExp(
  `^https?://(?:${PCHAR}*@)?(?:\\[[0-9a-f:.]+\\]|${PCHAR}*)(?::\\d*)?(?:/${PCHAR}*)*(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
  'i',
)

/** Asserts that an object has no empty list (STIX 2.1, 2.6). */
export const expectFilled = (object: unknown): void => {
  if (typeof object !== 'object' || object === null) return
  if (Array.isArray(object)) expect(object).not.toHaveLength(0)
  for (const each of Object.values(object)) expectFilled(each)
}

/** Asserts rules of STIX 2.1 for a bundle's objects, including those that JSON schemas cannot express. */
export function expectValid(objects: StixObject[]) {
  const ids = new Set(objects.map(({ id }) => id))
  expect(ids.size).toBe(objects.length)
  for (const object of objects) {
    expectFilled(object)
    if (object.type === 'url') expect(object.value).toMatch(URI)
    const { external_references: links = [] } = object as { external_references?: { url?: string }[] }
    for (const { url } of links) if (url !== undefined) expect(url).toMatch(URI)
    expect(Object.keys(object)).toEqual(expect.arrayContaining(REQUIRED[object.type] ?? ['unknown type']))
    expect(object.id.startsWith(`${object.type}--`)).toBe(true)
    expect(object.id.slice(object.type.length + 2)).toMatch(UUID)
    for (const [name, value] of Object.entries(object)) {
      if (/^(created|modified|valid_from|first_seen|last_seen)$/.test(name)) expect(value).toMatch(TIME)
      if (name.endsWith('_ref')) expect(ids).toContain(value)
      if (!name.endsWith('_refs')) continue
      expect(value).not.toHaveLength(0)
      for (const ref of value as string[]) expect(ids).toContain(ref)
    }
    const { confidence = 0 } = object as { confidence?: number }
    expect(Number.isInteger(confidence) && confidence >= 0 && confidence <= 100).toBe(true)
    if (object.modified) expect(String(object.modified) >= String(object.created)).toBe(true)
  }
}
