import { type ImportedComment, importedComment, LIMITS, textFault } from '@iodine/contracts'
import { UNKNOWN_AUTHOR } from './comments.js'
import { isObject } from './json/is-object.js'

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
