import { type ServiceDeps, type StoreService, startStoreService } from '@iodine/service-kit'
import { addChannelRoutes } from './channels/routes/channels.js'
import type { NotificationsConfig } from './config.js'
import { addNotificationRoutes } from './notifications/routes/notifications.js'
import { createStore } from './store.js'
import { createSeed } from './watches/commands/create-seed.js'
import { addWatchRoutes } from './watches/routes/watches.js'

/** Creates the notifications service: what users watch, what they are notified of, and by which channels. */
export const createApp = (config: NotificationsConfig, deps?: ServiceDeps): Promise<StoreService> =>
  startStoreService('notifications', config, deps, service => {
    const store = createStore(service)
    addWatchRoutes(service, store)
    addNotificationRoutes(service, store)
    addChannelRoutes(service, store)
    return () => createSeed(store.models)
  })
