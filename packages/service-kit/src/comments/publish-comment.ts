import type { NotificationEvent } from '@iodine/contracts'
import { PEER_BACKOFF_MAX_MS, publishToWatchers } from '../outbox/events.js'
import { byId, type Kind } from '../outbox/kind.js'
import type { StoreService } from '../store-service.js'
import type { CommentDoc, CommentModel } from './comment.js'

type CommentCreated = Extract<NotificationEvent, { type: 'comment.created' }>

/** What events about a commented subject state. */
export type CommentSubject = Pick<CommentCreated['subject'], 'kind' | 'title'> & Pick<CommentCreated, 'tlp'>

/** Returns a subject for those who watch; null for a deleted one, and for TLP:RED. */
export type FindSubject = (id: string) => Promise<CommentSubject | null>

/** Registers the outbox kind that publishes new comments to those who watch, and to mentioned and replied users. */
export const createNewComments = (
  { outbox, peers }: StoreService,
  comments: CommentModel,
  findSubject: FindSubject,
): Kind<{ id: string }> =>
  outbox.kind('comment.created', {
    payload: byId.payload,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle([created]) {
      const doc = created && (await comments.findById(created.id).lean<CommentDoc>())
      if (!doc?.user_id || doc.deleted) return
      const id = doc.subject_id.toHexString()
      const subject = await findSubject(id)
      if (!subject) return
      const { kind, title, tlp } = subject
      const replied = doc.reply_to && (await comments.findById(doc.reply_to).lean<CommentDoc>())
      await publishToWatchers(peers, [
        {
          type: 'comment.created',
          id: doc._id.toHexString(),
          subject: { kind, id, title },
          user_id: doc.user_id.toHexString(),
          mentions: [...new Set(doc.mentions?.map(({ user_id }) => user_id.toHexString()))],
          replied_to: replied?.user_id?.toHexString() ?? null,
          tlp,
          at: doc.created_at.toISOString(),
        },
      ])
    },
  })
