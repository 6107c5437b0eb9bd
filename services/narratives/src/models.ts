import { type Connection, modelOf } from '@iodine/service-kit'
import {
  canonDecisionSchema,
  canonMemberSchema,
  canonRuleSchema,
  canonSchema,
  canonSharedSchema,
} from './canon/models/canon.js'
import { edgeSchema } from './graph/models/edge.js'
import { sourceSchema } from './graph/models/source.js'
import { summedSchema, sumSchema } from './graph/models/sum.js'
import { counterSchema } from './narratives/models/counter.js'
import { narrativeSchema } from './narratives/models/narrative.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  narratives: modelOf(mongo, 'Narrative', narrativeSchema),
  edges: modelOf(mongo, 'Edge', edgeSchema),
  sources: modelOf(mongo, 'Source', sourceSchema),
  summed: modelOf(mongo, 'Summed', summedSchema),
  sums: modelOf(mongo, 'Sum', sumSchema),
  canon: modelOf(mongo, 'Canon', canonSchema),
  canonMembers: modelOf(mongo, 'CanonMember', canonMemberSchema),
  canonRules: modelOf(mongo, 'CanonRule', canonRuleSchema),
  canonDecisions: modelOf(mongo, 'CanonDecision', canonDecisionSchema),
  canonShared: modelOf(mongo, 'CanonShared', canonSharedSchema),
  counters: modelOf(mongo, 'Counter', counterSchema),
})
export type NarrativeModels = ReturnType<typeof createModels>
