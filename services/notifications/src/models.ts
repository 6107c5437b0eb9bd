import { type Connection, modelOf } from '@iodine/service-kit'
import { deliverySchema } from './channels/models/delivery.js'
import { personSchema } from './channels/models/person.js'
import { notificationSchema, receiptSchema } from './notifications/models/notification.js'
import { indexSchema, watchSchema } from './watches/models/watch.js'

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
