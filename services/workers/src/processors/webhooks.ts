import { LIMITS, notificationsInternal, type ResponseOf } from '@iodine/contracts'
import { feedSecretContext, ifFound, unseal } from '@iodine/service-kit'
import { Webhook } from 'standardwebhooks'
import { createPublicFetch, FeedError } from '../feeds/public-fetch.js'
import { defineProcessor } from '../processor.js'

/** Timeout of a receiver, and the maximum of its response, which is ignored. */
const TIMEOUT_MS = 10_000
const ANSWER_BYTES = 65_536

type Delivery = ResponseOf<typeof notificationsInternal.getDelivery>

/**
 * Delivers notifications to the webhooks of users, signed by the Standard Webhooks specification. Only public hosts are
 * requested, and those of `WEBHOOKS_ALLOW`: hosts of `SUBSCRIPTIONS_ALLOW` are for administrators. The notifications
 * service schedules retries: a job is one attempt.
 */
export const webhooksProcessor = defineProcessor({
  queue: 'webhooks',
  concurrency: 16,
  async create({ config, service }) {
    const { peers } = service
    const { SECRETS_KEY, WEBHOOKS_ALLOW: allow, SUBSCRIPTIONS_CA: ca } = config

    const headersOf = ({ id, user_id, url, sealed, payload }: Delivery): Record<string, string> => {
      const at = new Date()
      const secret = unseal(SECRETS_KEY, feedSecretContext(user_id, url), sealed)
      return {
        'content-type': 'application/json',
        'webhook-id': `msg_${id}`,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(`msg_${id}`, at, payload),
      }
    }
    /** Attempts a delivery. Returns the reason of a failure for the user; null after a success. */
    const attempt = async (delivery: Delivery): Promise<string | null> => {
      const fetch = createPublicFetch({ allow, ca })
      try {
        const { status } = await fetch.post(new URL(delivery.url), delivery.payload, {
          headers: headersOf(delivery),
          bytesMax: ANSWER_BYTES,
          ms: TIMEOUT_MS,
        })
        return status >= 200 && status < 300 ? null : `The webhook answered with status ${status}`
      } catch (error) {
        if (error instanceof FeedError) return error.message.slice(0, LIMITS.reasonMax)
        // Sealed with another SECRETS_KEY.
        service.log.warn({ err: error, delivery: delivery.id }, 'webhook not signed')
        return 'The stored secret cannot be read: set the webhook again'
      } finally {
        await fetch.close()
      }
    }
    return async ({ delivery_id: id }) => {
      const params = { id }
      const delivery = await ifFound(
        peers.call('notifications', notificationsInternal.getDelivery, { params }),
      )
      if (!delivery) return
      const error = await attempt(delivery)
      await peers.call('notifications', notificationsInternal.finishDelivery, { params, body: { error } })
    }
  },
})
