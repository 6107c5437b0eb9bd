import { isObject } from '../json/is-object.js'
import { isMadeOfMisp } from '../packed/misp-in-stix.js'
import { tlpOfMarkingId } from '../tlp.js'
import { AUTHOR, EVIDENCE_EXTENSION } from './bundle.js'

/** Types of what our bundles hold without saying who made it. */
const UNSIGNED = new Set([
  'marking-definition',
  'url',
  'domain-name',
  'ipv4-addr',
  'ipv6-addr',
  'file',
  'user-account',
  'text',
])

/** Markings of levels that an import by the browser would not keep. */
const isStrict = ({ object_marking_refs: refs }: Record<string, unknown>): boolean =>
  Array.isArray(refs) && refs.some(ref => !['clear', 'green'].includes(tlpOfMarkingId(String(ref)) ?? 'red'))

const isOurs = (object: unknown): boolean =>
  isObject(object) &&
  !isStrict(object) &&
  !isMadeOfMisp(object) &&
  (object.created_by_ref === undefined
    ? object.id === AUTHOR.id || object.id === EVIDENCE_EXTENSION.id || UNSIGNED.has(String(object.type))
    : object.created_by_ref === AUTHOR.id)

/**
 * Whether a file is STIX whose objects are kept as they are, and its level: another tool says something in it, or it is
 * marked more strictly than usual. A bundle of Iodine's own objects alone holds nothing that its IODs and their evidence
 * don't say.
 */
export const isForeignStix = (text: string): boolean => {
  let file: unknown
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return false
  }
  if (Array.isArray(file)) return file.some(object => isObject(object) && typeof object.type === 'string')
  if (!isObject(file) || typeof file.type !== 'string') return false
  return Array.isArray(file.objects) ? !file.objects.every(isOurs) : file.type !== 'bundle'
}
