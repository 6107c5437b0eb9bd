import { type Subscription, subscriptionsApi, subscriptionsInternal } from '@iodine/contracts'
import { done, requireAdmin, type StoreService, serveSecrets } from '@iodine/service-kit'
import { resumePulls } from '../../imports/commands/finish-pull.js'
import type { Store } from '../../models.js'
import { claimPull, extendPull, failPull, stagePull } from '../commands/claim-pull.js'
import {
  createSubscription,
  deleteSubscription,
  runSubscription,
  updateSubscription,
} from '../commands/edit-subscription.js'
import { countSealed, resealSecrets } from '../commands/reseal-secrets.js'
import { storePull } from '../commands/store-pull.js'
import type { SubscriptionDoc } from '../models/subscription.js'
import { presentSubscriptions } from '../presenters/subscription.js'

/** Adds the routes of feeds that are pulled into campaigns: for administrators, and for the workers that fetch them. */
export const addSubscriptionRoutes = (service: StoreService, store: Store): void => {
  const { subscriptions } = store
  const { peers } = service
  const presentOne = async (doc: SubscriptionDoc) =>
    (await presentSubscriptions(store, service.users, [doc]))[0] as Subscription
  /** Enqueues a check for due subscriptions. Without Redis the workers' schedule does it later. */
  const wake = () =>
    service.queues
      .add('subscriptions', {}, { removeOnComplete: true, removeOnFail: true })
      .catch(error => service.log.warn({ err: error }, 'subscriptions not queued'))

  service.route(subscriptionsApi.listSubscriptions, async ({ user }) => {
    await requireAdmin(peers, user)
    const docs = await subscriptions.find().select('+sealed').sort({ _id: 1 }).lean<SubscriptionDoc[]>()
    return presentSubscriptions(store, service.users, docs)
  })
  service.route(subscriptionsApi.createSubscription, async call => {
    const { user, body } = call
    await requireAdmin(peers, user)
    const what = { action: 'subscription.created', subject: { kind: 'subscription' } } as const
    const doc = await service.audit.during(call, what, async note => {
      const made = await createSubscription(store, peers, user.id, body)
      note({ id: made._id.toHexString() })
      return made
    })
    await wake()
    return presentOne(doc)
  })
  const subscription = ({ id }: { id: string }) => ({ kind: 'subscription', id }) as const
  service.route(subscriptionsApi.updateSubscription, async call => {
    const { user, params, body } = call
    await requireAdmin(peers, user)
    const doc = await service.audit.during(
      call,
      { action: 'subscription.changed', subject: subscription(params) },
      () => updateSubscription(store, peers, user.id, params.id, body),
    )
    if (body.paused === false) await wake()
    return presentOne(doc)
  })
  service.route(subscriptionsApi.runSubscription, async ({ user, params }) => {
    await requireAdmin(peers, user)
    const doc = await runSubscription(store, params.id)
    await wake()
    return presentOne(doc)
  })
  service.route(subscriptionsApi.deleteSubscription, async call => {
    const { user, params } = call
    await requireAdmin(peers, user)
    await service.audit.during(call, { action: 'subscription.deleted', subject: subscription(params) }, () =>
      deleteSubscription(store, params.id),
    )
    return { id: params.id }
  })

  serveSecrets(service, {
    count: () => countSealed(store),
    reseal: after => resealSecrets(store, peers, after),
  })

  service.internal(subscriptionsInternal.claimPull, async () => {
    await resumePulls(store, service.log)
    return { pull: await claimPull(store, peers) }
  })
  service.internal(subscriptionsInternal.extendPull, ({ params, body }) =>
    done(extendPull(store, params.id, body.token)),
  )
  service.internal(subscriptionsInternal.stagePull, ({ params, body }) =>
    done(stagePull(store, params.id, body)),
  )
  service.internal(subscriptionsInternal.storePull, async ({ params, query, body }) => ({
    objects: await storePull(store, params.id, query.token, body),
  }))
  service.internal(subscriptionsInternal.failPull, ({ params, body }) =>
    done(failPull(store, params.id, body)),
  )
}
