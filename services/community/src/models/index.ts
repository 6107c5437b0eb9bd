import type { Connection } from '@iodine/service-kit'
import { type ContributionModel, createContributionModel } from './contribution.js'
import { type CounterModel, createCounterModel } from './counter.js'
import { createUserModel, type UserModel } from './user.js'

export interface CommunityModels {
  users: UserModel
  contributions: ContributionModel
  counters: CounterModel
}

export const createModels = (mongo: Connection): CommunityModels => ({
  users: createUserModel(mongo),
  contributions: createContributionModel(mongo),
  counters: createCounterModel(mongo),
})
