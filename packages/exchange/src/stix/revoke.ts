import { AUTHOR, type StixObject } from './bundle.js'

/** What a version keeps of each type that we revoke, beside the properties of all objects: what STIX requires. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  campaign: ['name'],
  grouping: ['name', 'context', 'object_refs'],
  identity: ['name', 'identity_class'],
  indicator: ['name', 'pattern', 'pattern_type', 'valid_from', 'indicator_types'],
  narrative: ['name', 'narrative_types', 'extensions'],
  note: ['object_refs'],
  opinion: ['opinion', 'object_refs'],
  relationship: ['relationship_type', 'source_ref', 'target_ref'],
  'x-misp-attribute': [],
  'x-misp-event': [],
}
const COMMON = ['type', 'spec_version', 'id', 'created', 'created_by_ref', 'object_marking_refs']

/** Whether an object is one of ours that can be withdrawn by a version: nobody else may make one. */
export const isRevocable = ({ type, id, created_by_ref, modified }: StixObject): boolean =>
  Object.hasOwn(KEPT, type) &&
  id !== AUTHOR.id &&
  created_by_ref === AUTHOR.id &&
  typeof modified === 'string'

/**
 * The version of an object that revokes it (STIX 2.1, 3.6). It has what is required and nothing else: neither authors
 * nor what they wrote.
 * @param modified ISO 8601, later than the object's
 */
export const revokedVersion = (object: StixObject, modified: string): StixObject => {
  const kept = [...COMMON, ...(KEPT[object.type] ?? [])].filter(name => object[name] !== undefined)
  return {
    ...(Object.fromEntries(kept.map(name => [name, object[name]])) as StixObject),
    ...(object.type === 'note' && { content: 'Withdrawn' }),
    modified,
    revoked: true,
  }
}
