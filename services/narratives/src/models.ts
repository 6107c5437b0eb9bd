import type { Connection } from '@iodine/service-kit'
import {
  type CanonDecisionDoc,
  type CanonDoc,
  type CanonMemberDoc,
  type CanonRuleDoc,
  type CanonSharedDoc,
  canonDecisionSchema,
  canonMemberSchema,
  canonRuleSchema,
  canonSchema,
  canonSharedSchema,
} from './canon/models/canon.js'
import { type EdgeDoc, edgeSchema } from './graph/models/edge.js'
import { type SourceDoc, sourceSchema } from './graph/models/source.js'
import { type SumDoc, type SummedDoc, summedSchema, sumSchema } from './graph/models/sum.js'
import { type CounterDoc, counterSchema } from './narratives/models/counter.js'
import { type NarrativeDoc, narrativeSchema } from './narratives/models/narrative.js'

export const createModels = (mongo: Connection) => ({
  mongo,
  narratives: mongo.model<NarrativeDoc>('Narrative', narrativeSchema),
  edges: mongo.model<EdgeDoc>('Edge', edgeSchema),
  sources: mongo.model<SourceDoc>('Source', sourceSchema),
  summed: mongo.model<SummedDoc>('Summed', summedSchema),
  sums: mongo.model<SumDoc>('Sum', sumSchema),
  canon: mongo.model<CanonDoc>('Canon', canonSchema),
  canonMembers: mongo.model<CanonMemberDoc>('CanonMember', canonMemberSchema),
  canonRules: mongo.model<CanonRuleDoc>('CanonRule', canonRuleSchema),
  canonDecisions: mongo.model<CanonDecisionDoc>('CanonDecision', canonDecisionSchema),
  canonShared: mongo.model<CanonSharedDoc>('CanonShared', canonSharedSchema),
  counters: mongo.model<CounterDoc>('Counter', counterSchema),
})
export type NarrativeModels = ReturnType<typeof createModels>
