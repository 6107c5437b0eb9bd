import { notificationsApi, notificationsInternal, type UnreadState } from '@iodine/contracts'
import { cutPage, done, isKnownEtag, pageAfter, type StoreService, Streamed } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import { markRead } from '../commands/mark-read.js'
import { receiveEvents, receiveRecords } from '../commands/receive-events.js'
import type { NotificationDoc } from '../models/notification.js'
import { presentNotification } from '../presenters/notification.js'
import { findUnread } from '../queries/unread.js'

export const addNotificationRoutes = (service: StoreService, store: Store): void => {
  const { models, users, work, signText } = store
  const { notifications } = models

  service.route(notificationsApi.listNotifications, async ({ query, user, reply }) => {
    const { limit, cursor, unread } = query
    const filter = { user_id: new Types.ObjectId(user.id), ...(unread && { read_at: null }) }
    const docs = await notifications
      .find(pageAfter<NotificationDoc>(filter, cursor))
      .sort({ created_at: -1, _id: -1 })
      .limit(limit + 1)
      .lean<NotificationDoc[]>()
    const { shown, next } = cutPage(docs, limit)
    if (next) reply.header('x-next-cursor', next)
    const names = await users.usernames(shown.flatMap(({ actor }) => actor?.toHexString() ?? []))
    return shown.map(doc => presentNotification(doc, names))
  })

  service.route(notificationsApi.getUnread, async ({ request, reply, user }) => {
    const state = await findUnread(models, user.id)
    const etag = `"${state.unread}-${state.latest ?? ''}"`
    reply.header('etag', etag)
    reply.header('cache-control', 'private, no-cache')
    if (!isKnownEtag(request.headers['if-none-match'], etag)) return state
    reply.code(304)
    return new Streamed<UnreadState>(null)
  })

  service.route(notificationsApi.markRead, async ({ body, user }) => {
    await markRead(models, user.id, body)
    return findUnread(models, user.id)
  })

  const receiving = { models, signText, notices: work.notices }
  service.internal(notificationsInternal.receiveEvents, ({ body }) =>
    done(receiveEvents(receiving, body.events)),
  )
  service.internal(notificationsInternal.receiveRecords, ({ body }) => done(receiveRecords(receiving, body)))
}
