import type { Connection } from '@iodine/service-kit'
import { type ContributionModel, createContributionModel } from './contribution.js'
import { type CounterModel, createCounterModel } from './counter.js'
import { createTermModel, type TermModel } from './term.js'
import { createUserModel, type UserModel } from './user.js'

export interface CommunityModels {
  users: UserModel
  contributions: ContributionModel
  counters: CounterModel
  terms: TermModel
}

export const createModels = (mongo: Connection): CommunityModels => ({
  users: createUserModel(mongo),
  contributions: createContributionModel(mongo),
  counters: createCounterModel(mongo),
  terms: createTermModel(mongo),
})
