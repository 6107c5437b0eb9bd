import {
  type BodyOf,
  type Comment,
  DETAILS,
  type ImportedComment,
  type iodCommentsApi,
  LIMITS,
} from '@iodine/contracts'
import { type ClientSession, type Model, Types } from 'mongoose'
import { conflict, forbidden, HttpError, invalid, notFound } from '../http/errors.js'
import type { ListPosition } from '../http/lists.js'
import { type PersonalSource, personalSource } from '../http/personal-data.js'
import { createRateLimit } from '../http/rate-limits.js'
import { createKeyedQueue } from '../single-flight.js'
import type { StoreService } from '../store-service.js'
import { modelOf } from '../stores/documents.js'
import { inTransaction, isDuplicateKey } from '../stores/mongo.js'
import { BY_SUBJECT, type CommentDoc, type CommentModel, commentSchema } from './comment.js'
import { findMentions } from './mentions.js'
import { presentComments } from './present-comments.js'
import { createNewComments, type FindSubject } from './publish-comment.js'

/** What comments need of their subject: an IOD or a campaign. */
interface Subject {
  _id: Types.ObjectId
  /** Number of its comments without deleted ones, changed in their transaction; absent before the first. */
  comment_count?: number
}

type Counted = Pick<Subject, '_id' | 'comment_count'>
export type DeletedBy = NonNullable<CommentDoc['deleted']>

/** Outcome of an import of comments. */
type Upserted = Record<'added' | 'known' | 'left_out', number>

export interface Comments {
  /** Reads the position's next comments on a subject, oldest first. */
  page(subjectId: string, after: ListPosition | undefined, size: number): Promise<CommentDoc[]>
  /** Returns the number of a subject's comments. Throws 404. */
  count(subjectId: string): Promise<number>
  /** Returns a comment that is not deleted. Throws 404. */
  find(subjectId: string, id: string): Promise<CommentDoc>
  /**
   * Returns the comments on subjects, oldest first, by the subject's id. Reads nothing for subjects without comments.
   * @param latest only the latest `LIMITS.listedComments` of each
   */
  ofSubjects(subjects: readonly Counted[], options?: { latest?: boolean }): Promise<Map<string, Comment[]>>
  /** Returns the times at which comments on these subjects were edited, by the subject's id. */
  edits(subjectIds: readonly Types.ObjectId[]): Promise<Map<string, Record<string, string>>>
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

const createReads = (
  comments: CommentModel,
  subjects: Model<Subject>,
  users: StoreService['users'],
): Pick<Comments, 'page' | 'count' | 'find' | 'ofSubjects' | 'edits'> => ({
  page(subjectId, after, size) {
    const subject_id = new Types.ObjectId(subjectId)
    const later = after && {
      $or: [
        { created_at: { $gt: after.created_at } },
        { created_at: after.created_at, _id: { $gt: after._id } },
      ],
    }
    return comments
      .find({ subject_id, ...later })
      .sort(BY_SUBJECT)
      .limit(size)
      .lean<CommentDoc[]>()
  },
  async count(subjectId) {
    const subject = await subjects.findById(subjectId, { comment_count: 1 }).lean<Counted>()
    if (!subject) throw notFound()
    return subject.comment_count ?? 0
  },
  async find(subjectId, id) {
    const doc = await comments
      .findOne({ _id: id, subject_id: new Types.ObjectId(subjectId), deleted: null })
      .lean<CommentDoc>()
    if (!doc) throw notFound()
    return doc
  },
  async ofSubjects(given, { latest = false } = {}) {
    const long: Types.ObjectId[] = []
    const short: Types.ObjectId[] = []
    for (const { _id, comment_count = 0 } of given)
      if (comment_count > 0) (latest && comment_count > LIMITS.listedComments ? long : short).push(_id)
    if (long.length + short.length === 0) return new Map()
    const [found, ...latestOf] = await Promise.all([
      comments
        .find({ subject_id: { $in: short }, deleted: null })
        .sort(BY_SUBJECT)
        .lean<CommentDoc[]>(),
      // Few subjects have so many comments: one bounded read for each.
      ...long.map(subject_id =>
        comments
          .find({ subject_id, deleted: null })
          .sort({ subject_id: -1, created_at: -1, _id: -1 })
          .limit(LIMITS.listedComments)
          .lean<CommentDoc[]>(),
      ),
    ])
    const docs = [...found, ...latestOf.flatMap(newest => newest.reverse())]
    const presented = await presentComments(users, docs)
    const bySubject = new Map<string, Comment[]>()
    for (const [n, { subject_id }] of docs.entries()) {
      const id = subject_id.toHexString()
      const list = bySubject.get(id) ?? []
      list.push(presented[n] as Comment)
      bySubject.set(id, list)
    }
    return bySubject
  },
  async edits(subjectIds) {
    const docs = await comments
      .find(
        { subject_id: { $in: [...subjectIds] }, edited_at: { $gt: new Date(0) }, deleted: null },
        { subject_id: 1, edited_at: 1 },
      )
      .lean<CommentDoc[]>()
    const edits = new Map<string, Record<string, string>>()
    for (const { _id, subject_id, edited_at } of docs) {
      const id = subject_id.toHexString()
      edits.set(id, { ...edits.get(id), [_id.toHexString()]: edited_at?.toISOString() ?? '' })
    }
    return edits
  },
})

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
  const inQueue = createKeyedQueue<string>()

  /** Changes a subject's count and, in the same transaction, its comments. Throws 404, 413 above the limit. */
  const change = <T>(
    subjectId: string,
    delta: number,
    work: (session: ClientSession) => Promise<T>,
  ): Promise<T> =>
    // Otherwise all but one of a subject's concurrent transactions would fail at the count, and be repeated.
    inQueue(subjectId.toLowerCase(), () =>
      inTransaction(mongo, async session => {
        const subject = await subjects
          .findOneAndUpdate(
            { _id: subjectId },
            { $inc: { comment_count: delta } },
            { session, returnDocument: 'after', projection: { comment_count: 1 } },
          )
          .lean<Counted>()
        if (!subject) throw notFound()
        if (delta > 0 && (subject.comment_count ?? 0) > LIMITS.commentsMax)
          throw new HttpError(413, DETAILS.commentsFull)
        return work(session)
      }),
    )

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
    async create(userId, subjectId, { content, reply_to, key }) {
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
    },
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
    upsert: (userId, subjectId, given) =>
      inQueue(subjectId.toLowerCase(), () =>
        inTransaction(
          mongo,
          async session => {
            const subject = await subjects.findById(subjectId, { comment_count: 1 }).session(session)
            if (!subject) throw notFound()
            const byId = new Map(given.map(each => [each.id.toLowerCase(), each]))
            const ids = { $in: [...byId.keys()].map(id => new Types.ObjectId(id)) }
            const stored = await comments.find({ _id: ids }, { _id: 1 }).session(session).lean<CommentDoc[]>()
            for (const { _id } of stored) byId.delete(_id.toHexString())
            const added = [...byId].slice(0, LIMITS.commentsMax - (subject.comment_count ?? 0))
            const now = Date.now()
            const docs = added.map(([id, { author, content, created_at }]) => ({
              _id: new Types.ObjectId(id),
              subject_id: subject._id,
              user_id: null,
              author,
              imported_by: new Types.ObjectId(userId),
              content,
              reply_to: null,
              // A file may state a time in the future.
              created_at: new Date(Math.min(now, Date.parse(created_at))),
              edited_at: null,
              deleted: null,
            }))
            if (docs.length > 0) {
              await subjects.updateOne(
                { _id: subject._id },
                { $inc: { comment_count: docs.length } },
                { session },
              )
              await comments.collection.insertMany(docs, { session })
            }
            return { added: docs.length, known: stored.length, left_out: byId.size - docs.length }
          },
          { retriesDuplicates: true },
        ),
      ),
    async removeSubject(subjectId, session) {
      await comments.deleteMany({ subject_id: new Types.ObjectId(subjectId) }, { session })
    },
    async forget(userId, wishes) {
      if (wishes.comments === 'delete')
        for await (const doc of comments.find({ user_id: userId }).lean<CommentDoc[]>().cursor())
          await remove(doc.subject_id.toHexString(), doc._id.toHexString(), 'author').catch(ignoreMissing)
      await comments.updateMany({ user_id: userId }, { $set: { user_id: null }, $unset: { key: 1 } })
      await comments.updateMany({ imported_by: userId }, { $set: { imported_by: null } })
      await comments.updateMany(
        { 'mentions.user_id': userId },
        { $pull: { mentions: { user_id: userId } } as never },
      )
    },
    personal: personalSource('comment', comments, user_id => ({ user_id })),
  }
}

/** For `catch`: rethrows every error except 404, of a comment that its author has deleted meanwhile. */
const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof HttpError && error.status === 404)) throw error
}
