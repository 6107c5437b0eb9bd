import { type Model, Schema, type Types } from 'mongoose'
import { type DocOf, defineSchema, typed } from '../stores/documents.js'

/** A mentioned user, with UTF-16 offsets into the stored content. */
export interface MentionDoc {
  user_id: Types.ObjectId
  start: number
  end: number
}

const required = true
const ObjectId = Schema.Types.ObjectId
export const commentSchema = defineSchema('comments', {
  /** The IOD or campaign. */
  subject_id: { type: ObjectId, required },
  /** Null for imported and deleted comments, and once the account is deleted. */
  user_id: { type: ObjectId, default: null },
  /** Name of an imported comment's author in its file. */
  author: String,
  /** User who imported it; null once the account is deleted. */
  imported_by: ObjectId,
  /** Empty once it is deleted. */
  content: { type: String, default: '' },
  mentions: { type: typed<MentionDoc[]>(Schema.Types.Mixed), default: undefined },
  reply_to: { type: ObjectId, default: null },
  created_at: { type: Date, required },
  edited_at: { type: Date, default: null },
  /** Who deleted it. Only a comment with replies stays stored. */
  deleted: { type: String, enum: ['author', 'administrator'] as const, default: null },
  /** Idempotency key of its creation. */
  key: String,
})
/** A comment on an IOD or campaign. */
export type CommentDoc = DocOf<typeof commentSchema>
export type CommentModel = Model<CommentDoc>

/** Order of a subject's comments, oldest first, and its index. */
export const BY_SUBJECT = { subject_id: 1, created_at: 1, _id: 1 } as const
commentSchema.index(BY_SUBJECT)
commentSchema.index(
  { user_id: 1, subject_id: 1, key: 1 },
  { unique: true, partialFilterExpression: { key: { $gt: '' } } },
)
// For the export and the deletion of an account.
for (const field of ['user_id', 'imported_by', 'mentions.user_id'])
  commentSchema.index({ [field]: 1 }, { sparse: true })
// For the versions of exported comments.
commentSchema.index(
  { subject_id: 1, edited_at: 1 },
  { partialFilterExpression: { edited_at: { $gt: new Date(0) } } },
)
