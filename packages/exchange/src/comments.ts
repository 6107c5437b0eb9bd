import { PRODUCT_NAME } from '@iodine/contracts'
import { isObject } from './json/is-object.js'

/** Name of an author without a username. */
export const UNKNOWN_AUTHOR = 'Unknown'

/** Returns the comment in a note of Iodine's bundles, with the note's object refs; undefined for other objects. */
export const commentOfNote = (
  note: Readonly<Record<string, unknown>>,
): { about: unknown[]; comment: object } | undefined => {
  const { type, content, authors, created, object_refs, external_references } = note
  const reference: unknown = Array.isArray(external_references) ? external_references[0] : undefined
  if (type !== 'note' || !Array.isArray(object_refs) || !isObject(reference)) return undefined
  if (reference.source_name !== PRODUCT_NAME) return undefined
  const username: unknown = Array.isArray(authors) ? authors[0] : undefined
  const comment = { id: reference.external_id, content, username, created_at: created }
  return { about: object_refs, comment }
}
