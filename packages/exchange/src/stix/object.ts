import { DEFAULT_TLP, PRODUCT_NAME } from '@iodine/contracts'
import { idOf } from '../ids.js'
import { toMarking } from '../tlp.js'

/** Any STIX object: the bundle mixes many types. */
export interface StixObject {
  type: string
  id: string
  [property: string]: unknown
}

/** Creation time of objects that all campaigns share. */
export const SINCE = '2026-01-01T00:00:00.000Z'

/** Identity object referenced by `created_by_ref`. */
export const AUTHOR: StixObject = {
  type: 'identity',
  spec_version: '2.1',
  id: `identity--${idOf('identity', PRODUCT_NAME)}`,
  created: SINCE,
  modified: SINCE,
  name: PRODUCT_NAME,
  identity_class: 'system',
}

/** Marking of an object until `markAll` sets its level. */
export const DEFAULT_MARKING = { object_marking_refs: [toMarking(DEFAULT_TLP).id] }

/** Creates a STIX object. Its id is derived from `name`, so that it is the same in each export. */
export const createObject = (
  type: string,
  name: string[],
  created: string,
  properties: object,
  modified = created,
) => ({
  type,
  id: `${type}--${idOf(...name)}`,
  spec_version: '2.1',
  created,
  modified,
  created_by_ref: AUTHOR.id,
  ...DEFAULT_MARKING,
  ...properties,
})

export const relationship = (
  type: string,
  source: StixObject,
  target: StixObject,
  created: string,
): StixObject =>
  createObject('relationship', ['relationship', type, source.id, target.id], created, {
    relationship_type: type,
    source_ref: source.id,
    target_ref: target.id,
  })
