import type { Kind, Peers, Queues, StoreService, UserDirectory } from '@iodine/service-kit'
import { enqueueDigests, mailsWork } from './channels/commands/send-mails.js'
import { webhooksWork } from './channels/commands/webhooks.js'
import { createModels, type Models } from './models.js'
import { type NoticeBatch, noticesWork } from './notifications/commands/store-notices.js'
import { createSignText, type SignText } from './watches/queries/sign-texts.js'

const DIGESTS_MS = 60_000

/** The service's models, outbox kinds, and the parts that it calls. */
export interface Store {
  models: Models
  peers: Peers
  queues: Queues
  users: UserDirectory
  signText: SignText
  work: {
    /** Notifications to be stored. */
    notices: Kind<NoticeBatch>
    /** Users with notifications to be mailed. */
    mails: Kind<{ id: string }>
    /** Users with deliveries to their webhook. */
    webhooks: Kind<{ id: string }>
  }
}

export const createStore = ({ mongo, outbox, tasks, peers, queues, users }: StoreService): Store => {
  const models = createModels(mongo)
  const store: Store = {
    models,
    peers,
    queues,
    users,
    signText: createSignText(models),
    work: {
      notices: outbox.kind(
        'notices',
        noticesWork(() => store),
      ),
      mails: outbox.kind(
        'mails',
        mailsWork(() => store),
      ),
      webhooks: outbox.kind(
        'webhooks',
        webhooksWork(() => store),
      ),
    },
  }
  tasks.every('digests', DIGESTS_MS, () => enqueueDigests(store))
  return store
}
