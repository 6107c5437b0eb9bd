import { type Category, highestTlp, type NewIod } from '@iodine/contracts'
import { FieldFault, isCategory, isSourceType, readFields } from '../fields.js'
import type { ParsedPiece } from '../intake/opened.js'
import { asKey, descriptionOf } from '../stix/read.js'
import { PRODUCT_TAG } from './event.js'
import type { EventPlace } from './slices.js'
import { keyOf, tagsOf, techniquesOf, tlpOfTags, versionOf } from './tags.js'

/** Categories of attribute types that are IODs both in events and in objects. */
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
/** Categories of attribute types that are IODs in events: in objects, texts are mere properties. */
const IN_EVENTS: Readonly<Record<string, Category>> = {
  ...ANYWHERE,
  text: 'SENTENCE',
  'full-name': 'FULL_NAME',
}

/** Returns the values of Iodine's tags with a predicate. */
const ownTags = (tags: readonly string[], predicate: string): string[] => {
  const begin = `${PRODUCT_TAG}:${predicate}="`
  return tags.flatMap(tag => (tag.startsWith(begin) && tag.endsWith('"') ? tag.slice(begin.length, -1) : []))
}

/** Returns the IOD that an attribute represents, or the reason for its rejection. */
const iodOf = (
  attribute: Readonly<Record<string, unknown>>,
  isInObject: boolean,
): Pick<ParsedPiece, 'iod' | 'reason'> => {
  const { type, value, comment, deleted } = attribute
  const types = isInObject ? ANYWHERE : IN_EVENTS
  if (typeof type !== 'string' || !Object.hasOwn(types, type)) return {}
  if (deleted === true || deleted === 1 || deleted === '1') return {}
  const tags = tagsOf(attribute)
  try {
    const iod: NewIod = readFields({
      value,
      category: ownTags(tags, 'category').find(isCategory) ?? types[type],
      description: descriptionOf(comment, typeof value === 'string' ? value : ''),
      source_type: ownTags(tags, 'source-type').find(isSourceType),
    })
    return { iod }
  } catch (error) {
    if (error instanceof FieldFault) return { reason: error.message }
    throw error
  }
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi
/** Maximum mentions of a report that are read. */
const MENTIONS_MAX = 200

/** Returns the keys of the elements that an element refers to. */
const refsOf = (type: string, element: Readonly<Record<string, unknown>>): string[] => {
  const { referenced_uuid, object_uuid, related_object_uuid, attribute_uuid, content } = element
  switch (type) {
    case 'object-reference':
      return [asKey(referenced_uuid)]
    case 'note':
    case 'opinion':
    case 'relationship':
      return [object_uuid, related_object_uuid].map(asKey)
    case 'sighting':
      return [asKey(attribute_uuid)]
    case 'proposal':
      return [asKey(element.uuid)]
    case 'event-report':
      return typeof content === 'string'
        ? [...new Set(content.match(UUID)?.map(each => each.toLowerCase()))].slice(0, MENTIONS_MAX)
        : []
    default:
      return []
  }
}

/**
 * Returns the properties of a piece of a MISP event.
 * @param element undefined for pieces that are no list elements
 */
export const readMispPiece = (
  element: Readonly<Record<string, unknown>> | undefined,
  { type, object, tlp, isText, key = '', version = '', techniques = [] }: EventPlace,
): ParsedPiece => {
  if (!element) return { key, version, type: isText ? '' : type, tlp, refs: [], techniques }
  const refs = refsOf(type, element).filter(Boolean)
  return {
    // A proposal has the UUID of its attribute.
    key: type === 'proposal' ? '' : keyOf(element),
    version: versionOf(element),
    type,
    tlp: highestTlp([tlp, tlpOfTags(element)]),
    refs: refs.map(each => each.toLowerCase()),
    techniques: techniquesOf(element),
    ...(type === 'attribute' && iodOf(element, object !== null)),
  }
}
