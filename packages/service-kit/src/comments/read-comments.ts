import { type Comment, LIMITS } from '@iodine/contracts'
import { type Model, Types } from 'mongoose'
import { notFound } from '../http/errors.js'
import type { ListPosition } from '../http/lists.js'
import type { UserDirectory } from '../stores/users.js'
import { BY_SUBJECT, type CommentDoc, type CommentModel } from './comment.js'
import { presentComments } from './present-comments.js'
import type { Counted, Subject } from './subjects.js'

/** Reads of the comments on one kind of subject. */
export interface CommentReads {
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
}

/** Creates the reads of comments. */
export const createReads = (
  comments: CommentModel,
  subjects: Model<Subject>,
  users: UserDirectory,
): CommentReads => ({
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
