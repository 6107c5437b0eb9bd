import type { Connection } from '@iodine/service-kit'
import { type ContributionDoc, contributionSchema } from './contribution.js'
import { type CounterDoc, counterSchema } from './counter.js'
import { type TermDoc, termSchema } from './term.js'
import { type UserDoc, userSchema } from './user.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  users: mongo.model<UserDoc>('User', userSchema),
  contributions: mongo.model<ContributionDoc>('Contribution', contributionSchema),
  counters: mongo.model<CounterDoc>('Counter', counterSchema),
  terms: mongo.model<TermDoc>('Term', termSchema),
})
export type CommunityModels = ReturnType<typeof createModels>
