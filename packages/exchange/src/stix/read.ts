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

/** What is known of an object that another tool wrote, beside its bytes. */
export interface ForeignObject {
  /** Its `id`; empty if it has none. */
  key: string
  /** Its `modified`, or `created`; empty if it has neither. */
  version: string
  type: string
  /** Null: unmarked. */
  tlp: Tlp | null
  /** The objects that a relationship or a sighting connects. */
  refs: string[]
  /** The IOD that it stands for. */
  iod?: NewIod
  /** Why it stands for none, although its pattern is one comparison. */
  reason?: string
}

/** Levels of markings that a file defines itself, by their ids. */
export type Markings = ReadonlyMap<string, Tlp | null>

/** A text that may be a key; empty for anything else. */
export const short = (value: unknown): string =>
  typeof value === 'string' && value.length <= 300 ? value : ''
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : []

/**
 * Parses one object of a file.
 * @throws UnreadableFile if it is no JSON, whose numbers and names JSON.parse takes as it likes: its bytes are kept
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

/** The id of an object and its version, which is a time; each empty if it has none. */
export const nameOf = ({ id, modified, created }: Readonly<Record<string, unknown>>) => ({
  key: short(id),
  version: short(modified) || short(created),
})

/** The id and level of an object that is a marking; undefined for any other. */
export const markingOf = (object: Readonly<Record<string, unknown>>): [string, Tlp | null] | undefined =>
  object.type === 'marking-definition' && short(object.id)
    ? [short(object.id), tlpOfDefinition(object)]
    : undefined

/** The strictest level of an object and its parts. A marking that is not known counts as red. */
const tlpOf = (object: Readonly<Record<string, unknown>>, markings: Markings): Tlp | null => {
  const granular = Array.isArray(object.granular_markings) ? object.granular_markings.filter(isObject) : []
  const ids = [
    ...strings(object.object_marking_refs),
    // Markings of languages have a `lang` in place of the reference.
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

/** STIX 2.1, 9: a pattern of one comparison for equality with a text, or for being in a network. */
const ONE_COMPARISON =
  /^\s*\[\s*([a-z0-9-]+)\s*:\s*([a-z_]+(?:\.(?:[A-Za-z0-9_-]+|'[^'\\]+'))?)\s*(=|ISSUBSET)\s*'((?:[^'\\]|\\['\\])*)'\s*\]\s*$/
const CATEGORIES: Readonly<Record<string, Category>> = {
  'url:value': 'URL',
  'domain-name:value': 'DOMAIN',
  // OpenCTI's.
  'hostname:value': 'DOMAIN',
  'ipv4-addr:value': 'IP_ADDRESS',
  'ipv6-addr:value': 'IP_ADDRESS',
  'user-account:account_login': 'USERNAME',
  'text:value': 'SENTENCE',
}
const HASHES = /^file:hashes\.'?(?:MD5|SHA-?1|SHA-?256|SHA-?512)'?$/i

/** The value and category that an indicator's pattern compares with. */
const comparisonOf = (pattern: string): { value: string; category: Category } | undefined => {
  // The expression would go over a long text for nothing.
  if (pattern.length > 2 * LIMITS.fieldMax + 100) return undefined
  const [, type, path, operator, quoted = ''] = ONE_COMPARISON.exec(pattern) ?? []
  if (operator !== '=' && !type?.startsWith('ip')) return undefined
  const name = `${type}:${path}`
  const category = HASHES.test(name) ? 'HASH' : Object.hasOwn(CATEGORIES, name) ? CATEGORIES[name] : undefined
  return category && { value: quoted.replace(/\\(['\\])/g, '$1'), category }
}

/** A text for an IOD's description: empty if it may not be stored. */
export const described = (given: unknown, value: string): string =>
  typeof given === 'string' && given !== value && given.length <= LIMITS.fieldMax && !textFault(given)
    ? given
    : ''

/** The IOD that an indicator stands for, or why it stands for none. */
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
    // The name of an indicator of ours is the address as it was before it was encoded as a URI.
    const value = isEncoded ? String(name) : found.value
    const iod = readFields({
      value,
      category: labels.find(isCategory) ?? found.category,
      description: described(description, value) || described(name, value),
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
 * What is known of an object of a STIX file.
 * @param markings the levels of the markings that the file defines
 */
export const readStixObject = (
  object: Readonly<Record<string, unknown>>,
  markings: Markings,
): ForeignObject => {
  const type = short(object.type)
  const connects = type === 'relationship' || type === 'sighting'
  const refs = connects
    ? [object.source_ref, object.target_ref, object.sighting_of_ref].map(short).filter(Boolean)
    : []
  return {
    ...nameOf(object),
    type,
    tlp: tlpOf(object, markings),
    refs,
    ...(type === 'indicator' && iodOf(object)),
  }
}
