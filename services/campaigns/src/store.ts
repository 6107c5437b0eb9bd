import { createComments, type StoreService } from '@iodine/service-kit'
import { changesWork } from './campaigns/commands/publish-change.js'
import { watchedCampaign } from './campaigns/queries/watched-campaign.js'
import type { CampaignsConfig } from './config.js'
import { publicationWork } from './feeds/commands/step-publication.js'
import { SWEEP_MS, sweepPublications } from './feeds/commands/sweep-publications.js'
import { importWork } from './imports/commands/import-work.js'
import { createModels, type Store } from './models.js'
import { reportWork } from './reports/commands/freeze.js'
import { quotesWork } from './reports/commands/notify-quoted.js'
import { siteOf } from './reports/policies/site.js'
import { proposalWork } from './techniques/commands/work-on-proposals.js'

export const createStore = (service: StoreService, config: CampaignsConfig): Store => {
  const { outbox, tasks, peers, users, log, queues } = service
  const importing = () => ({ store, peers, log, memberMax: config.QUOTA_CAMPAIGN_IODS })
  const publishing = () => ({ store, peers, users })
  const models = createModels(service.mongo, config)
  const store: Store = {
    ...models,
    comments: createComments(service, models.campaigns, id => watchedCampaign(models, id)),
    work: {
      changes: outbox.kind(
        'campaign.changed',
        changesWork(() => ({ store, peers })),
      ),
      imports: outbox.kind('import', importWork(importing)),
      publications: outbox.kind('publication', publicationWork(publishing)),
      proposals: outbox.kind(
        'proposals',
        proposalWork(() => ({ store, peers, queues })),
      ),
      reports: outbox.kind(
        'report',
        reportWork(() => ({ store, peers, users, site: siteOf(config) })),
      ),
      quotes: outbox.kind(
        'report.quoted',
        quotesWork(() => ({ store, peers })),
      ),
    },
  }
  tasks.every('publications', SWEEP_MS, () => sweepPublications(store))
  return store
}
