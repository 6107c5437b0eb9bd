import { type BodyOf, DETAILS, type ImportedComment, type iodCommentsApi, LIMITS } from '@iodine/contracts'
import { type ClientSession, type Model, Types } from 'mongoose'
import { conflict, forbidden, invalid, isNotFound, notFound } from '../http/errors.js'
import { type PersonalSource, personalSource } from '../http/personal-data.js'
import { createRateLimit } from '../http/rate-limits.js'
import type { Kind } from '../outbox/kind.js'
import type { StoreService } from '../store-service.js'
import { modelOf } from '../stores/documents.js'
import { isDuplicateKey } from '../stores/mongo.js'
import { type CommentDoc, type CommentModel, commentSchema } from './comment.js'
import { type Upserted, upsertComments } from './import-comments.js'
import { findMentions } from './mentions.js'
import { createNewComments, type FindSubject } from './publish-comment.js'
import { type CommentReads, createReads } from './read-comments.js'
import { createSubjectChange, type Subject, type SubjectChange } from './subjects.js'

export type DeletedBy = NonNullable<CommentDoc['deleted']>

export interface Comments extends CommentReads {
  /**
   * Adds a comment. A repeated key returns the existing comment.
   * @throws HttpError 404, 409 for a reply to a deleted comment, 413 for too many comments, 422 for a reply to a reply
   *   and too many mentions, 429 above the user's rate
   */
  create(
    userId: string,
    subjectId: string,
    input: BodyOf<typeof iodCommentsApi.createComment>,
  ): Promise<{ doc: CommentDoc; isNew: boolean }>
  /** Changes an own comment. Throws 404, 403 for another user's comment or a late edit, 422 for too many mentions. */
  update(userId: string, subjectId: string, id: string, content: string): Promise<CommentDoc>
  /** Deletes a comment; one with replies keeps its position. Throws 404. */
  remove(subjectId: string, id: string, by: DeletedBy): Promise<void>
  /** Adds comments of a file. Idempotent by id. Throws 404. */
  upsert(userId: string, subjectId: string, given: readonly ImportedComment[]): Promise<Upserted>
  /** Deletes all comments of a deleted subject. */
  removeSubject(subjectId: string, session: ClientSession): Promise<void>
  /** Removes a deleted user's id from comments, or deletes their comments. Idempotent. */
  forget(userId: Types.ObjectId, wishes: { comments: 'keep' | 'delete' }): Promise<void>
  /** The comments of a user, for the export of personal data. */
  personal: PersonalSource
}

/** Creates the limit of a user's comments on all subjects. */
const createCommentLimit = ({ redis, config }: Pick<StoreService, 'redis' | 'config'>) => {
  const limitOf = (name: string, points: number, seconds: number) =>
    createRateLimit(redis, {
      name: `comments-${name}`,
      points,
      seconds,
      prefix: config.REDIS_PREFIX,
      enabled: config.RATE_LIMITS === 'on',
    })
  const limits = [limitOf('hour', LIMITS.commentsAnHour, 3_600), limitOf('day', LIMITS.commentsADay, 86_400)]
  return {
    async use(userId: string): Promise<void> {
      for (const limit of limits) await limit.use(userId)
    },
    async refund(userId: string): Promise<void> {
      for (const limit of limits) await limit.refund(userId)
    },
  }
}

/** Reads the comment that a new one replies to. Throws 409 if it is deleted, 422 for a reply. */
const checkReplied = async (
  comments: CommentModel,
  filter: Pick<CommentDoc, '_id' | 'subject_id'>,
  session: ClientSession,
): Promise<void> => {
  const replied = await comments
    .findOne({ ...filter, deleted: null })
    .session(session)
    .lean<CommentDoc>()
  if (!replied) throw conflict(DETAILS.repliedDeleted)
  if (replied.reply_to) throw invalid([DETAILS.replyToReply])
}

/** Deletes a comment, and the deleted comment that it was the last reply to. */
const removeComment = async (
  comments: CommentModel,
  doc: CommentDoc,
  by: DeletedBy,
  session: ClientSession,
): Promise<void> => {
  const { _id, subject_id, reply_to } = doc
  const hasReplies = (id: Types.ObjectId) => comments.exists({ subject_id, reply_to: id }).session(session)
  if (await hasReplies(_id)) {
    const $set = { deleted: by, content: '', user_id: null, edited_at: null }
    const $unset = { mentions: 1, key: 1, author: 1, imported_by: 1 } as const
    await comments.updateOne({ _id }, { $set, $unset }, { session })
    return
  }
  await comments.deleteOne({ _id }, { session })
  if (reply_to && !(await hasReplies(reply_to)))
    await comments.deleteOne({ _id: reply_to, deleted: { $ne: null } }, { session })
}

/** Removes a deleted user's id from comments, or deletes their comments. Idempotent. */
const forgetUser = async (
  comments: CommentModel,
  remove: Comments['remove'],
  userId: Types.ObjectId,
  wishes: { comments: 'keep' | 'delete' },
): Promise<void> => {
  if (wishes.comments === 'delete')
    for await (const { _id, subject_id } of comments.find({ user_id: userId }).lean<CommentDoc[]>().cursor())
      await remove(subject_id.toHexString(), _id.toHexString(), 'author').catch(error => {
        // Its author has deleted it meanwhile.
        if (!isNotFound(error)) throw error
      })
  await comments.updateMany({ user_id: userId }, { $set: { user_id: null }, $unset: { key: 1 } })
  await comments.updateMany({ imported_by: userId }, { $set: { imported_by: null } })
  await comments.updateMany(
    { 'mentions.user_id': userId },
    { $pull: { mentions: { user_id: userId } } as never },
  )
}

interface CreationContext {
  comments: CommentModel
  users: StoreService['users']
  limit: ReturnType<typeof createCommentLimit>
  change: SubjectChange
  newComments: Kind<{ id: string }>
}

/** Implements `create` of `Comments`. */
const createComment = async (
  { comments, users, limit, change, newComments }: CreationContext,
  userId: string,
  subjectId: string,
  { content, reply_to, key }: BodyOf<typeof iodCommentsApi.createComment>,
): ReturnType<Comments['create']> => {
  const user_id = new Types.ObjectId(userId)
  const subject_id = new Types.ObjectId(subjectId)
  const repeated = async () =>
    key === undefined ? null : comments.findOne({ user_id, subject_id, key }).lean<CommentDoc>()
  const known = await repeated()
  if (known) return { doc: known, isNew: false }
  await limit.use(userId)
  try {
    const mentions = await findMentions(users, content)
    const doc: CommentDoc = {
      _id: new Types.ObjectId(),
      subject_id,
      user_id,
      content,
      ...(mentions.length > 0 && { mentions }),
      reply_to: reply_to ? new Types.ObjectId(reply_to) : null,
      created_at: new Date(),
      edited_at: null,
      deleted: null,
      ...(key !== undefined && { key }),
    }
    await change(subjectId, 1, async session => {
      if (doc.reply_to) await checkReplied(comments, { _id: doc.reply_to, subject_id }, session)
      await comments.collection.insertOne(doc, { session })
      await newComments.add({ id: doc._id.toHexString() }, { session })
    })
    return { doc, isNew: true }
  } catch (error) {
    await limit.refund(userId)
    // A concurrent request with the same key has created it.
    const doc = isDuplicateKey(error) ? await repeated() : null
    if (doc) return { doc, isNew: false }
    throw error
  }
}

/**
 * Creates the comments on one kind of subject. All changes of one subject's comments write its `comment_count` first,
 * which serializes them.
 * @param findSubject the subject for those who watch
 */
export const createComments = <D extends Subject>(
  service: StoreService,
  model: Model<D>,
  findSubject: FindSubject,
): Comments => {
  const { mongo, users } = service
  const subjects = model as unknown as Model<Subject>
  const comments = modelOf(mongo, 'Comment', commentSchema)
  const newComments = createNewComments(service, comments, findSubject)
  const limit = createCommentLimit(service)
  const reads = createReads(comments, subjects, users)
  const change = createSubjectChange(mongo, subjects)

  const remove: Comments['remove'] = (subjectId, id, by) =>
    change(subjectId, -1, async session => {
      const filter = { _id: id, subject_id: new Types.ObjectId(subjectId), deleted: null }
      const doc = await comments.findOne(filter).session(session).lean<CommentDoc>()
      // The exception rolls the count back.
      if (!doc) throw notFound()
      await removeComment(comments, doc, by, session)
    })

  return {
    ...reads,
    remove,
    create: (userId, subjectId, input) =>
      createComment({ comments, users, limit, change, newComments }, userId, subjectId, input),
    async update(userId, subjectId, id, content) {
      const { _id, user_id, created_at } = await reads.find(subjectId, id)
      if (!user_id?.equals(userId)) throw forbidden()
      if (Date.now() - created_at.getTime() > LIMITS.commentEditMs) throw forbidden(DETAILS.editTooLate)
      const mentions = await findMentions(users, content)
      const changed = await comments
        .findOneAndUpdate(
          { _id, user_id, deleted: null },
          { $set: { content, mentions, edited_at: new Date() } },
          { returnDocument: 'after' },
        )
        .lean<CommentDoc>()
      if (!changed) throw notFound()
      return changed
    },
    upsert: (...given) => upsertComments({ mongo, subjects, comments }, ...given),
    async removeSubject(subjectId, session) {
      await comments.deleteMany({ subject_id: new Types.ObjectId(subjectId) }, { session })
    },
    forget: (userId, wishes) => forgetUser(comments, remove, userId, wishes),
    personal: personalSource('comment', comments, user_id => ({ user_id })),
  }
}
