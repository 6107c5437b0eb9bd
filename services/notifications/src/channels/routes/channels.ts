import { createHash } from 'node:crypto'
import { atomFeeds, notificationsApi, notificationsInternal } from '@iodine/contracts'
import {
  done,
  isKnownEtag,
  personalSource,
  type StoreService,
  Streamed,
  servePersonalData,
  serveSecrets,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { NotificationDoc } from '../../notifications/models/notification.js'
import { forgetUser } from '../commands/forget-user.js'
import { unsubscribe, updateSettings } from '../commands/settings.js'
import {
  countSealed,
  findDelivery,
  finishDelivery,
  removeWebhook,
  resealSecrets,
  setWebhook,
  testWebhook,
} from '../commands/webhooks.js'
import type { PersonDoc } from '../models/person.js'
import { presentFeed } from '../presenters/atom-feed.js'
import { presentSettings, presentWebhook } from '../presenters/settings.js'

const FEED_ENTRIES = 100

export const addChannelRoutes = (service: StoreService, store: Store): void => {
  const { models } = store

  service.route(notificationsApi.getSettings, async ({ user }) =>
    presentSettings(await models.people.findById(user.id).lean<PersonDoc>()),
  )
  service.route(notificationsApi.updateSettings, async ({ body, user }) =>
    presentSettings(await updateSettings(models, user.id, body)),
  )
  service.route(notificationsApi.unsubscribe, ({ params }) => done(unsubscribe(models, params.token)))

  service.route(notificationsApi.setWebhook, async ({ body, user }) => {
    const { webhook, secret } = await setWebhook(store, user.id, body.url)
    return { ...presentWebhook(webhook), secret }
  })
  service.route(notificationsApi.testWebhook, ({ user }) => done(testWebhook(store, user.id)))
  service.route(notificationsApi.deleteWebhook, ({ user }) => done(removeWebhook(store, user.id)))
  service.internal(notificationsInternal.getDelivery, ({ params }) => findDelivery(store, params.id))
  service.internal(notificationsInternal.finishDelivery, ({ params, body }) =>
    done(finishDelivery(store, params.id, body)),
  )
  serveSecrets(service, {
    count: () => countSealed(store),
    reseal: cursor => resealSecrets(store, cursor),
  })

  service.feed(atomFeeds.getNotificationFeed, async ({ request, reply, reader }) => {
    const docs = await models.notifications
      .find({ user_id: new Types.ObjectId(reader.id), channels: 'feed' })
      .sort({ created_at: -1, _id: -1 })
      .limit(FEED_ENTRIES)
      .lean<NotificationDoc[]>()
    const xml = presentFeed(
      docs,
      `${request.protocol}://${request.host}`,
      reader.tlp === 'red' ? 'clear' : reader.tlp,
    )
    const etag = `"${createHash('sha256').update(xml).digest('base64url')}"`
    reply.header('etag', etag)
    reply.header('cache-control', 'private, no-cache')
    if (!isKnownEtag(request.headers['if-none-match'], etag))
      return new Streamed<unknown>(xml, 'application/atom+xml')
    reply.code(304)
    return new Streamed<unknown>(null)
  })

  servePersonalData(service, {
    sources: [
      personalSource(
        'watch',
        models.watches,
        user_id => ({ user_id }),
        ({ keys: _keys, identity: _identity, signature: _signature, ...watch }) => watch,
      ),
      personalSource(
        'notification',
        models.notifications,
        user_id => ({ user_id }),
        ({ fold: _fold, ...notification }) => notification,
      ),
      personalSource(
        'notification_settings',
        models.people,
        _id => ({ _id }),
        ({ unsubscribe: _unsubscribe, changes: _changes, webhook, ...settings }) => ({
          ...settings,
          ...(webhook && { webhook: presentWebhook(webhook) }),
        }),
      ),
      personalSource('webhook_delivery', models.deliveries, user_id => ({ user_id })),
    ],
    forget: userId => forgetUser(models, userId),
  })
}
