import { z } from 'zod'
import { endpoint, internalEndpoint } from './endpoint.js'
import { comment } from './iods.js'
import { LIMITS } from './limits.js'
import { filledText, id, pageQuery, text, time, timestamp } from './primitives.js'

/** A mentioned user: UTF-16 offsets into the comment's content, from the sign `@`. */
export const mention = z.strictObject({ user_id: id, start: z.int(), end: z.int() })
export type Mention = z.output<typeof mention>

/** A comment in its thread. Mentions in the content have the current usernames. */
export const threadComment = comment.extend({
  mentions: z.array(mention),
  /** The comment that it replies to, which is no reply itself. */
  reply_to: id.nullable(),
  edited_at: time.nullable(),
  /** Who deleted it. A deleted comment with replies stays in the list without content and author. */
  deleted: z.enum(['author', 'administrator']).nullable(),
  /** Whether a file brought it. Then `username` is the author's name in the file, and no user of this site. */
  imported: z.boolean(),
})
export type ThreadComment = z.output<typeof threadComment>

const content = filledText(LIMITS.commentMax)
const params = z.strictObject({ id })
const ofComment = params.extend({ cid: id })

/** Defines the endpoints of the comments on one kind of subject. */
const commentEndpoints = <const B extends 'iods' | 'campaigns'>(base: B, subject: string) => ({
  listComments: endpoint('user', `GET /${base}/:id/comments`, {
    scopes: ['read'],
    summary: `Comments on ${subject}, oldest first. \`X-Total-Count\` omits deleted ones`,
    params,
    query: z.strictObject(pageQuery),
    response: z.array(threadComment),
  }),
  createComment: endpoint('user', `POST /${base}/:id/comments`, {
    scopes: ['contribute'],
    summary:
      `Comment on ${subject}. \`@name\` of a user is a mention. A repeated \`key\` returns the existing comment. ` +
      '409 if the comment replied to is deleted, 413 at the limit of comments, 429 above the user’s rate',
    params,
    body: z.strictObject({
      content,
      reply_to: id.nullish(),
      /** Idempotency key. */
      key: z.uuid().optional(),
    }),
    response: threadComment,
    status: 201,
    knownStatus: 200,
  }),
  updateComment: endpoint('user', `PATCH /${base}/:id/comments/:cid`, {
    scopes: ['contribute'],
    summary: 'Edit an own comment within 24 hours; 403 later',
    params: ofComment,
    body: z.strictObject({ content }),
    response: threadComment,
  }),
  deleteComment: endpoint('user', `DELETE /${base}/:id/comments/:cid`, {
    summary: 'Delete an own comment, or any as an administrator',
    params: ofComment,
    response: z.strictObject({ id }),
  }),
})

/** Comments on IODs, served by the IODs' service. */
export const iodCommentsApi = commentEndpoints('iods', 'an IOD')
/** Comments on campaigns, served by the campaigns' service. */
export const campaignCommentsApi = commentEndpoints('campaigns', 'a campaign')
export type CommentsApi = typeof iodCommentsApi | typeof campaignCommentsApi

/** A comment from a file of Iodine. */
export const importedComment = z.strictObject({
  /** The exporting system's id. */
  id,
  author: text(LIMITS.commentAuthorMax),
  content,
  created_at: timestamp,
})
export type ImportedComment = z.output<typeof importedComment>

export const commentsInternal = {
  upsertComments: internalEndpoint('POST /internal/comments/bring', {
    summary:
      'Adds comments of an export to IODs, in the name of their authors in the file; idempotent. `left_out`: above the limit of an IOD',
    body: z.strictObject({
      user_id: id,
      iods: z
        .array(z.strictObject({ id, comments: z.array(importedComment).max(LIMITS.commentsMax) }))
        .max(LIMITS.upsertIodsMax),
    }),
    response: z.strictObject({ added: z.int(), known: z.int(), left_out: z.int() }),
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
} as const
