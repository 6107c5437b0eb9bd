import { type Connection, modelOf } from '@iodine/service-kit'
import { contributionSchema } from './contribution.js'
import { counterSchema } from './counter.js'
import { termSchema } from './term.js'
import { userSchema } from './user.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  users: modelOf(mongo, 'User', userSchema),
  contributions: modelOf(mongo, 'Contribution', contributionSchema),
  counters: modelOf(mongo, 'Counter', counterSchema),
  terms: modelOf(mongo, 'Term', termSchema),
})
export type CommunityModels = ReturnType<typeof createModels>
