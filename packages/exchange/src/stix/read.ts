import {
  type Category,
  highestTlp,
  isHttpUrl,
  isSourceReference,
  LIMITS,
  type NewIod,
  type Tlp,
  textFault,
} from '@iodine/contracts'
import { FieldFault, isCategory, isSourceType, readFields } from '../fields.js'
import { isObject } from '../json/is-object.js'
import { UnreadableFile } from '../read.js'
import { tlpOfDefinition, tlpOfMarkingId } from '../tlp.js'
import { toUri } from './uri.js'

/** Parsed properties of an object of another tool. */
export interface ForeignObject {
  /** `id` of the object; empty if it has none. */
  key: string
  /** `modified`, else `created`, else empty. */
  version: string
  type: string
  /** Null: unmarked. */
  tlp: Tlp | null
  /** Ids of the objects that a relationship or a sighting connects. */
  refs: string[]
  /** The IOD that the object represents. */
  iod?: NewIod
  /** Reason why it represents no IOD, although its pattern is a supported comparison. */
  reason?: string
}

/** TLP levels of the markings that a file defines, by id. */
export type Markings = ReadonlyMap<string, Tlp | null>

/** Returns a text that is asKey enough for a key; else an empty text. */
export const asKey = (value: unknown): string =>
  typeof value === 'string' && value.length <= 300 ? value : ''
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : []

/**
 * Parses one object of a file. JSON.parse may lose number precision and duplicate names; the bytes preserve them.
 * @throws UnreadableFile for invalid JSON
 */
export const parseObject = (text: string, place: number): Record<string, unknown> => {
  let object: unknown
  try {
    object = JSON.parse(text)
  } catch {
    throw new UnreadableFile(`Object ${place} of the file is not valid JSON.`)
  }
  return object as Record<string, unknown>
}

/** Returns an object's id and its version, which is a time; each is empty if missing. */
export const nameOf = ({ id, modified, created }: Readonly<Record<string, unknown>>) => ({
  key: asKey(id),
  version: asKey(modified) || asKey(created),
})

/** Returns the id and TLP level of a marking; undefined for other objects. */
export const markingOf = (object: Readonly<Record<string, unknown>>): [string, Tlp | null] | undefined =>
  object.type === 'marking-definition' && asKey(object.id)
    ? [asKey(object.id), tlpOfDefinition(object)]
    : undefined

/** Returns the strictest TLP level of an object and its parts. An unknown marking counts as red. */
const tlpOf = (object: Readonly<Record<string, unknown>>, markings: Markings): Tlp | null => {
  const granular = Array.isArray(object.granular_markings) ? object.granular_markings.filter(isObject) : []
  const ids = [
    ...strings(object.object_marking_refs),
    // Language markings have a `lang` instead of the reference.
    ...granular.flatMap(({ marking_ref }) => (typeof marking_ref === 'string' ? [marking_ref] : [])),
  ]
  const own = markingOf(object)
  return highestTlp([
    own?.[1],
    ...ids.map(id => {
      const fixed = tlpOfMarkingId(id)
      const defined = markings.get(id)
      return fixed === undefined && defined === undefined ? 'red' : highestTlp([fixed, defined])
    }),
  ])
}

/** Matches a pattern (STIX 2.1, 9) of one comparison: equality with a text, or membership in a network. */
const ONE_COMPARISON =
  /^\s*\[\s*([a-z0-9-]+)\s*:\s*([a-z_]+(?:\.(?:[A-Za-z0-9_-]+|'[^'\\]+'))?)\s*(=|ISSUBSET)\s*'((?:[^'\\]|\\['\\])*)'\s*\]\s*$/
const CATEGORIES: Readonly<Record<string, Category>> = {
  'url:value': 'URL',
  'domain-name:value': 'DOMAIN',
  // Type of OpenCTI.
  'hostname:value': 'DOMAIN',
  'ipv4-addr:value': 'IP_ADDRESS',
  'ipv6-addr:value': 'IP_ADDRESS',
  'user-account:account_login': 'USERNAME',
  'text:value': 'SENTENCE',
}
const HASHES = /^file:hashes\.'?(?:MD5|SHA-?1|SHA-?256|SHA-?512)'?$/i

/** Returns the value and category in an indicator's pattern. */
const comparisonOf = (pattern: string): { value: string; category: Category } | undefined => {
  // A longer pattern cannot match: skip the expensive regular expression.
  if (pattern.length > 2 * LIMITS.fieldMax + 100) return undefined
  const [, type, path, operator, quoted = ''] = ONE_COMPARISON.exec(pattern) ?? []
  if (operator !== '=' && !type?.startsWith('ip')) return undefined
  const name = `${type}:${path}`
  const category = HASHES.test(name) ? 'HASH' : Object.hasOwn(CATEGORIES, name) ? CATEGORIES[name] : undefined
  return category && { value: quoted.replace(/\\(['\\])/g, '$1'), category }
}

/** Returns a text as an IOD's description; empty if it is invalid or equals the value. */
export const descriptionOf = (given: unknown, value: string): string =>
  typeof given === 'string' && given !== value && given.length <= LIMITS.fieldMax && !textFault(given)
    ? given
    : ''

/** Returns the IOD that an indicator represents, or the reason for its rejection. */
const iodOf = (indicator: Readonly<Record<string, unknown>>): Pick<ForeignObject, 'iod' | 'reason'> => {
  const { pattern, pattern_type = 'stix', revoked, name, description } = indicator
  if (typeof pattern !== 'string' || pattern_type !== 'stix' || revoked === true) return {}
  const found = comparisonOf(pattern)
  if (!found) return {}
  const labels = strings(indicator.labels)
  const references = Array.isArray(indicator.external_references)
    ? indicator.external_references.filter(isObject)
    : []
  const links = references.flatMap(({ url }) => (typeof url === 'string' ? [url] : []))
  try {
    const title = typeof name === 'string' ? name.trim() : ''
    const isEncoded = found.category === 'URL' && isHttpUrl(title) && toUri(title) === found.value
    // The name of Iodine's indicators is the original URL, before its encoding as a URI.
    const value = isEncoded ? String(name) : found.value
    const iod = readFields({
      value,
      category: labels.find(isCategory) ?? found.category,
      description: descriptionOf(description, value) || descriptionOf(name, value),
      source_type: labels.find(isSourceType),
      source: links.find(
        link => link.length <= LIMITS.fieldMax && isSourceReference(link) && !textFault(link),
      ),
    })
    return { iod }
  } catch (error) {
    if (error instanceof FieldFault) return { reason: error.message }
    throw error
  }
}

/**
 * Parses the properties of a STIX object.
 * @param markings TLP levels of the markings that the file defines
 */
export const readStixObject = (
  object: Readonly<Record<string, unknown>>,
  markings: Markings,
): ForeignObject => {
  const type = asKey(object.type)
  const connects = type === 'relationship' || type === 'sighting'
  const refs = connects
    ? [object.source_ref, object.target_ref, object.sighting_of_ref].map(asKey).filter(Boolean)
    : []
  return {
    ...nameOf(object),
    type,
    tlp: tlpOf(object, markings),
    refs,
    ...(type === 'indicator' && iodOf(object)),
  }
}
