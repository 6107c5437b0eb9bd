import type { CommentsApi, ThreadComment } from '@iodine/contracts'
import { requireAdmin } from '../http/admin.js'
import { sendList } from '../http/lists.js'
import type { StoreService } from '../store-service.js'
import type { CommentDoc } from './comment.js'
import type { Comments } from './comments.js'
import { presentThread } from './present-comments.js'

/** Serves the comments on one kind of subject. */
export const serveComments = (service: StoreService, api: CommentsApi, comments: Comments): void => {
  const present = (docs: CommentDoc[]) => presentThread(service.users, docs)
  const presentOne = async (doc: CommentDoc) => (await present([doc]))[0] as ThreadComment

  service.route(api.listComments, async ({ params: { id }, query: { limit, cursor }, reply }) => {
    const total = await comments.count(id)
    return sendList(reply, {
      limit,
      cursor,
      find: (after, size) => comments.page(id, after, size),
      total: async () => total,
      present,
    })
  })

  service.route(api.createComment, async ({ params: { id }, body, user, reply }) => {
    const { doc, isNew } = await comments.create(user.id, id, body)
    if (!isNew) reply.code(api.createComment.knownStatus)
    return presentOne(doc)
  })

  service.route(api.updateComment, async ({ params: { id, cid }, body, user }) =>
    presentOne(await comments.update(user.id, id, cid, body.content)),
  )

  service.route(api.deleteComment, async call => {
    const { params, user } = call
    const { id, cid } = params
    const { user_id } = await comments.find(id, cid)
    if (user_id?.equals(user.id)) await comments.remove(id, cid, 'author')
    else {
      await requireAdmin(service.peers, user)
      const what = { action: 'comment.deleted', subject: { kind: 'comment', id: cid } } as const
      await service.audit.during(call, what, () => comments.remove(id, cid, 'administrator'))
    }
    return { id: cid }
  })
}
