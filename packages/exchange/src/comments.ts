import { type ImportedComment, importedComment, LIMITS, PRODUCT_NAME, textFault } from '@iodine/contracts'
import { isObject } from './json/is-object.js'

/** Name of an author without a username. */
export const UNKNOWN_AUTHOR = 'Unknown'

/** Valid comments of an entry, and the number of rejected ones. */
export interface FileComments {
  comments: ImportedComment[]
  refused: number
}

/** Parses a comment of a JSON file by the contract; returns undefined if it is invalid. */
function readComment(given: unknown): ImportedComment | undefined {
  if (!isObject(given)) return undefined
  const { id, content, username, created_at } = given
  const { data } = importedComment.safeParse({ id, content, author: username ?? UNKNOWN_AUTHOR, created_at })
  return data && [data.content, data.author].every(text => textFault(text) === undefined) ? data : undefined
}

/** Parses an entry's comments into distinct ones; comments beyond the limit of an IOD are rejected. */
export function readComments(given: unknown): FileComments {
  const all = Array.isArray(given) ? given : []
  const comments = new Map<string, ImportedComment>()
  for (const each of all) {
    const comment = readComment(each)
    if (comment && comments.size < LIMITS.commentsMax) comments.set(comment.id.toLowerCase(), comment)
  }
  return { comments: [...comments.values()], refused: all.length - comments.size }
}

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
