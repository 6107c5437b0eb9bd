import type { StoreService } from '@iodine/service-kit'
import { createNewIods, type NewIods } from './commands/publish-iod.js'
import { createModels, type IodModels, type Limits } from './models/index.js'

/** The service's models, with its work that is done after a change. */
export interface IodStore extends IodModels {
  newIods: NewIods
}

export const createStore = (service: StoreService, limits: Limits): IodStore => {
  const models = createModels(service.mongo, limits)
  return { ...models, newIods: createNewIods(service, models.iods) }
}
