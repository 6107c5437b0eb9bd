import { type ImportedComment, LIMITS } from '@iodine/contracts'
import { type Model, Types } from 'mongoose'
import { notFound } from '../http/errors.js'
import { type Connection, inTransaction } from '../stores/mongo.js'
import type { CommentDoc, CommentModel } from './comment.js'
import type { Subject } from './subjects.js'

/** Outcome of an import of comments. `left_out`: above the limit of their subject. */
export type Upserted = Record<'added' | 'known' | 'left_out', number>

interface Models {
  mongo: Connection
  subjects: Model<Subject>
  comments: CommentModel
}

/** Adds comments of a file to a subject. Idempotent by id. Throws 404. */
export const upsertComments = (
  { mongo, subjects, comments }: Models,
  userId: string,
  subjectId: string,
  given: readonly ImportedComment[],
): Promise<Upserted> =>
  inTransaction(
    mongo,
    async session => {
      const subject = await subjects
        .findById(subjectId, { comment_count: 1 })
        .session(session)
        .lean<Subject>()
      if (!subject) throw notFound()
      const { _id: subject_id, comment_count = 0 } = subject
      const byId = new Map(given.map(each => [each.id.toLowerCase(), each]))
      const ids = { $in: [...byId.keys()].map(id => new Types.ObjectId(id)) }
      const stored = await comments.find({ _id: ids }, { _id: 1 }).session(session).lean<CommentDoc[]>()
      for (const { _id } of stored) byId.delete(_id.toHexString())
      const added = [...byId].slice(0, Math.max(0, LIMITS.commentsMax - comment_count))
      const now = Date.now()
      const docs = added.map(([id, { author, content, created_at }]) => ({
        _id: new Types.ObjectId(id),
        subject_id,
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
        await subjects.updateOne({ _id: subject_id }, { $inc: { comment_count: docs.length } }, { session })
        await comments.collection.insertMany(docs, { session })
      }
      return { added: docs.length, known: stored.length, left_out: byId.size - docs.length }
    },
    { retriesDuplicates: true },
  )
