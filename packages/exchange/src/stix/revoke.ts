import { AUTHOR, type StixObject } from './object.js'

/** Properties that STIX requires of a revoked version, by type; `COMMON` applies to all types. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
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

/** Returns whether Iodine may revoke an object: only its creator may publish a new version. */
export const isRevocable = ({ type, id, created_by_ref, modified }: StixObject): boolean =>
  Object.hasOwn(REQUIRED, type) &&
  id !== AUTHOR.id &&
  created_by_ref === AUTHOR.id &&
  typeof modified === 'string'

/**
 * Returns the version of an object that revokes it (STIX 2.1, 3.6). It has only required properties: neither authors
 * nor their texts.
 * @param modified ISO 8601, later than the object's
 */
export const revokedVersion = (object: StixObject, modified: string): StixObject => {
  const names = [...COMMON, ...(REQUIRED[object.type] ?? [])].filter(name => object[name] !== undefined)
  return {
    ...(Object.fromEntries(names.map(name => [name, object[name]])) as StixObject),
    ...(object.type === 'note' && { content: 'Withdrawn' }),
    modified,
    revoked: true,
  }
}
