import type { StoreService } from '@iodine/service-kit'
import { importWork } from './commands/import-work.js'
import { publicationWork } from './commands/step-publication.js'
import { SWEEP_MS, sweepPublications } from './commands/sweep-publications.js'
import type { CampaignsConfig } from './config.js'
import { createModels, type Store } from './models/index.js'

export const createStore = (service: StoreService, config: CampaignsConfig): Store => {
  const { outbox, tasks, peers, users, log } = service
  const importing = () => ({ store, peers, log, memberMax: config.QUOTA_CAMPAIGN_IODS })
  const publishing = () => ({ store, peers, users })
  const store: Store = {
    ...createModels(service.mongo, config),
    work: {
      imports: outbox.kind('import', importWork(importing)),
      publications: outbox.kind('publication', publicationWork(publishing)),
    },
  }
  tasks.every('publications', SWEEP_MS, () => sweepPublications(store))
  return store
}
