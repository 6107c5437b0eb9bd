import type { StoreService } from '@iodine/service-kit'
import { enqueueDigests, mailsWork } from './channels/commands/send-mails.js'
import { webhooksWork } from './channels/commands/webhooks.js'
import { createModels, type Store } from './models.js'
import { noticesWork } from './notifications/commands/store-notices.js'
import { createSignText } from './watches/queries/sign-texts.js'

const DIGESTS_MS = 60_000

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
