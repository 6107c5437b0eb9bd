import { DETAILS, LIMITS } from '@iodine/contracts'
import type { ClientSession, Model, Types } from 'mongoose'
import { HttpError, notFound } from '../http/errors.js'
import { createKeyedQueue } from '../single-flight.js'
import { type Connection, inTransaction } from '../stores/mongo.js'

/** The fields of a commented IOD or campaign. */
export interface Subject {
  _id: Types.ObjectId
  /** Number of its comments without deleted ones, changed in their transaction; absent before the first. */
  comment_count?: number
}

export type Counted = Pick<Subject, '_id' | 'comment_count'>

/** Changes a subject's count and, in the same transaction, its comments. Throws 404, 413 above the limit. */
export type SubjectChange = <T>(
  subjectId: string,
  delta: number,
  work: (session: ClientSession) => Promise<T>,
) => Promise<T>

/** Creates the changes of the comments on one kind of subject. */
export const createSubjectChange = (mongo: Connection, subjects: Model<Subject>): SubjectChange => {
  const inQueue = createKeyedQueue<string>()
  return (subjectId, delta, work) =>
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
}
