import { isMadeOfMisp } from '../packed/misp-in-stix.js'
import { tlpOfMarkingId } from '../tlp.js'
import { AUTHOR, EVIDENCE_EXTENSION } from './bundle.js'

/** Types of what our bundles hold without saying who made it. */
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

/** Whether it is marked more strictly than usual: such objects are kept as they are. */
const isStrict = ({ object_marking_refs: refs }: Record<string, unknown>): boolean =>
  Array.isArray(refs) &&
  refs.some(ref => !['clear', 'green'].includes((typeof ref === 'string' && tlpOfMarkingId(ref)) || 'red'))

/**
 * Whether an object of a bundle is one of ours and marked no more strictly than usual. A bundle of such objects alone holds
 * nothing that its IODs, their evidence and techniques don't say.
 */
export const isOurs = (object: Readonly<Record<string, unknown>>): boolean =>
  !isStrict(object) &&
  !isMadeOfMisp(object) &&
  (object.created_by_ref === undefined
    ? object.id === AUTHOR.id || object.id === EVIDENCE_EXTENSION.id || UNSIGNED.has(object.type)
    : object.created_by_ref === AUTHOR.id)
