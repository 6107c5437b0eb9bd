import { isMadeOfMisp } from '../packed/misp-in-stix.js'
import { tlpOfMarkingId } from '../tlp.js'
import { EVIDENCE_EXTENSION } from './evidence-note.js'
import { AUTHOR } from './object.js'

/** Types of objects in Iodine's bundles without `created_by_ref`. */
const UNSIGNED = new Set<unknown>([
  'marking-definition',
  'url',
  'domain-name',
  'ipv4-addr',
  'ipv6-addr',
  'file',
  'user-account',
  'text',
])

/** Returns whether an object is marked more strictly than green: such objects are stored unchanged. */
const isStrict = ({ object_marking_refs: refs }: Record<string, unknown>): boolean =>
  Array.isArray(refs) &&
  refs.some(ref => !['clear', 'green'].includes((typeof ref === 'string' && tlpOfMarkingId(ref)) || 'red'))

/**
 * Returns whether Iodine created an object of a bundle, with at most the level green. A bundle of only such objects
 * contains nothing beyond its IODs, their evidence and techniques.
 */
export const isOurs = (object: Readonly<Record<string, unknown>>): boolean =>
  !isStrict(object) &&
  !isMadeOfMisp(object) &&
  (object.created_by_ref === undefined
    ? object.id === AUTHOR.id || object.id === EVIDENCE_EXTENSION.id || UNSIGNED.has(object.type)
    : object.created_by_ref === AUTHOR.id)
