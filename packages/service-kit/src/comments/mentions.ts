import { DETAILS, LIMITS, type Mention } from '@iodine/contracts'
import { Types } from 'mongoose'
import { invalid } from '../http/errors.js'
import type { UserDirectory } from '../stores/users.js'
import type { CommentDoc, MentionDoc } from './comment.js'

/** `@name`, but not in an email address or a URL. */
const MENTION = /(?<![\p{L}\p{N}_.@/-])@([A-Za-z0-9_]{3,20})(?![\p{L}\p{N}_@])/gu

/**
 * Finds the mentions in a comment. Names of no user stay text.
 * @throws HttpError 422 above `LIMITS.commentMentionsMax`, 503 for a text with `@name` while auth is down
 */
export const findMentions = async (
  users: Pick<UserDirectory, 'named'>,
  content: string,
): Promise<MentionDoc[]> => {
  const found = [...content.matchAll(MENTION)].map(match => ({
    name: (match[1] as string).toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }))
  const cards = await users.named([...new Set(found.map(({ name }) => name))])
  const ids = new Map(cards.map(({ id, username }) => [username?.toLowerCase(), id]))
  const mentions = found.flatMap(({ name, start, end }) => {
    const id = ids.get(name)
    return id ? [{ user_id: new Types.ObjectId(id), start, end }] : []
  })
  if (mentions.length > LIMITS.commentMentionsMax) throw invalid([DETAILS.tooManyMentions])
  return mentions
}

/** Returns a comment's content with the current usernames, and its mentions. Those of unknown users stay text. */
export const presentMentions = (
  { content, mentions = [] }: Pick<CommentDoc, 'content' | 'mentions'>,
  names: ReadonlyMap<string, string>,
): { content: string; mentions: Mention[] } => {
  let text = ''
  let from = 0
  const presented: Mention[] = []
  for (const { user_id, start, end } of mentions) {
    const id = user_id.toHexString()
    const name = names.get(id)
    if (name === undefined) continue
    text += content.slice(from, start)
    const mention = { user_id: id, start: text.length, end: text.length + name.length + 1 }
    text += `@${name}`
    from = end
    presented.push(mention)
  }
  return { content: text + content.slice(from), mentions: presented }
}
