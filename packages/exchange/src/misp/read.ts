import { type Category, highestTlp, type NewIod } from '@iodine/contracts'
import { FieldFault, isCategory, isSourceType, readFields } from '../fields.js'
import type { KnownPiece } from '../intake/opened.js'
import { described, short } from '../stix/read.js'
import { PRODUCT_TAG } from './event.js'
import type { EventPlace } from './slices.js'
import { keyOf, tagsOf, techniquesOf, tlpOfTags, versionOf } from './tags.js'

/** Categories of the types whose attributes are IODs, whether they stand in an event or in an object of it. */
const ANYWHERE: Readonly<Record<string, Category>> = {
  url: 'URL',
  domain: 'DOMAIN',
  hostname: 'DOMAIN',
  'ip-src': 'IP_ADDRESS',
  'ip-dst': 'IP_ADDRESS',
  md5: 'HASH',
  sha1: 'HASH',
  sha256: 'HASH',
  sha512: 'HASH',
}
/** Those of an event alone: in objects, texts are properties of something else. */
const IN_EVENTS: Readonly<Record<string, Category>> = {
  ...ANYWHERE,
  text: 'SENTENCE',
  'full-name': 'FULL_NAME',
}

/** The values of our own tags with a predicate. */
const ownTags = (tags: readonly string[], predicate: string): string[] => {
  const begin = `${PRODUCT_TAG}:${predicate}="`
  return tags.flatMap(tag => (tag.startsWith(begin) && tag.endsWith('"') ? tag.slice(begin.length, -1) : []))
}

/** The IOD that an attribute stands for, or why it stands for none. */
const iodOf = (
  attribute: Readonly<Record<string, unknown>>,
  isInObject: boolean,
): Pick<KnownPiece, 'iod' | 'reason'> => {
  const { type, value, comment, deleted } = attribute
  const types = isInObject ? ANYWHERE : IN_EVENTS
  if (typeof type !== 'string' || !Object.hasOwn(types, type)) return {}
  if (deleted === true || deleted === 1 || deleted === '1') return {}
  const tags = tagsOf(attribute)
  try {
    const iod: NewIod = readFields({
      value,
      category: ownTags(tags, 'category').find(isCategory) ?? types[type],
      description: described(comment, typeof value === 'string' ? value : ''),
      source_type: ownTags(tags, 'source-type').find(isSourceType),
    })
    return { iod }
  } catch (error) {
    if (error instanceof FieldFault) return { reason: error.message }
    throw error
  }
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** Mentions of a report that count. */
const MENTIONS_MAX = 200

/** Keys of what an element is about. */
const refsOf = (type: string, element: Readonly<Record<string, unknown>>): string[] => {
  const { referenced_uuid, object_uuid, related_object_uuid, attribute_uuid, content } = element
  switch (type) {
    case 'object-reference':
      return [short(referenced_uuid)]
    case 'note':
    case 'opinion':
    case 'relationship':
      return [object_uuid, related_object_uuid].map(short)
    case 'sighting':
      return [short(attribute_uuid)]
    case 'proposal':
      return [short(element.uuid)]
    case 'event-report':
      return typeof content === 'string'
        ? [...new Set(content.match(UUID)?.map(each => each.toLowerCase()))].slice(0, MENTIONS_MAX)
        : []
    default:
      return []
  }
}

/**
 * What is known of a piece of a MISP event.
 * @param element undefined for text that is no element by itself
 */
export const readMispPiece = (
  element: Readonly<Record<string, unknown>> | undefined,
  { type, object, tlp, isText, key = '', version = '', techniques = [] }: EventPlace,
): KnownPiece => {
  if (!element) return { key, version, type: isText ? '' : type, tlp, refs: [], techniques }
  const refs = refsOf(type, element).filter(Boolean)
  return {
    // A proposal has the UUID of the attribute that it is about.
    key: type === 'proposal' ? '' : keyOf(element),
    version: versionOf(element),
    type,
    tlp: highestTlp([tlp, tlpOfTags(element)]),
    refs: refs.map(each => each.toLowerCase()),
    techniques: techniquesOf(element),
    ...(type === 'attribute' && iodOf(element, object !== null)),
  }
}
