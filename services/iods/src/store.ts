import { type Comments, createComments, type StoreService } from '@iodine/service-kit'
import { createNewIods, type NewIods } from './iods/commands/publish-iod.js'
import { mergeTallies, recount } from './iods/commands/tally-iods.js'
import { watchedIod } from './iods/queries/watched-iod.js'
import { createModels, type IodModels, type Limits } from './models.js'
import { projectCovotes } from './votes/commands/project-covotes.js'
import { publishVotes } from './votes/commands/publish-votes.js'

const VOTES_MS = 10_000
const TALLIES_MS = 10_000
const RECOUNT_MS = 24 * 3_600_000

/** The service's models and outbox kinds. */
export interface IodStore extends IodModels {
  newIods: NewIods
  comments: Comments
}

export const createStore = (service: StoreService, limits: Limits): IodStore => {
  const models = createModels(service.mongo, limits)
  // A task, as an outbox entry would cost each vote a transaction.
  service.tasks.every('votes', VOTES_MS, () => projectCovotes(models))
  service.tasks.every('vote-news', VOTES_MS, () => publishVotes(models.iods, service.peers))
  service.tasks.every('tallies', TALLIES_MS, () => mergeTallies(models))
  service.tasks.every('recount', RECOUNT_MS, () => recount(models, service.log))
  return {
    ...models,
    newIods: createNewIods(service, models.iods),
    comments: createComments(service, models.iods, id => watchedIod(models.iods, id)),
  }
}
