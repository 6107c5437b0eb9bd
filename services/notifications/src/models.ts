import {
  type Connection,
  type Kind,
  modelOf,
  type Peers,
  type Queues,
  type UserDirectory,
} from '@iodine/service-kit'
import { deliverySchema } from './channels/models/delivery.js'
import { personSchema } from './channels/models/person.js'
import { notificationSchema, receiptSchema } from './notifications/models/notification.js'
import type { NoticeBatch } from './notifications/policies/notices.js'
import { indexSchema, type SignText, watchSchema } from './watches/models/watch.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  watches: modelOf(mongo, 'Watch', watchSchema),
  index: modelOf(mongo, 'Index', indexSchema),
  notifications: modelOf(mongo, 'Notification', notificationSchema),
  receipts: modelOf(mongo, 'Receipt', receiptSchema),
  people: modelOf(mongo, 'Person', personSchema),
  deliveries: modelOf(mongo, 'Delivery', deliverySchema),
})
export type Models = ReturnType<typeof createModels>

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
