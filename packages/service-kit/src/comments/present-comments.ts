import type { Comment, ThreadComment } from '@iodine/contracts'
import type { UserDirectory } from '../stores/users.js'
import type { CommentDoc } from './comment.js'
import { presentMentions } from './mentions.js'

/** Presents comments in their thread, in the given order, with current usernames. */
export const presentThread = async (users: UserDirectory, docs: CommentDoc[]): Promise<ThreadComment[]> => {
  const ids = docs.flatMap(({ user_id, mentions = [] }) =>
    [user_id, ...mentions.map(mention => mention.user_id)].flatMap(id => id?.toHexString() ?? []),
  )
  const names = ids.length > 0 ? await users.usernames(ids) : new Map<string, string>()
  return docs.map(doc => {
    const user_id = doc.user_id?.toHexString() ?? null
    return {
      id: doc._id.toHexString(),
      ...presentMentions(doc, names),
      user_id,
      username: doc.author ?? (user_id && names.get(user_id)) ?? null,
      created_at: doc.created_at.toISOString(),
      reply_to: doc.reply_to?.toHexString() ?? null,
      edited_at: doc.edited_at?.toISOString() ?? null,
      deleted: doc.deleted,
      imported: doc.author !== undefined,
    }
  })
}

/** Presents comments without their thread. */
export const presentComments = async (users: UserDirectory, docs: CommentDoc[]): Promise<Comment[]> =>
  (await presentThread(users, docs)).map(({ id, content, user_id, username, created_at }) => ({
    id,
    content,
    user_id,
    username,
    created_at,
  }))
