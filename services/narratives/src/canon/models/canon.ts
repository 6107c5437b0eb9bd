import {
  CANON_KINDS,
  CANON_METHODS,
  CANON_REASONS,
  CANON_RELATIONS,
  type CanonKind,
  EXTRACTION_FAILURES,
} from '@iodine/contracts'
import { type DocOf, defineSchema, hashOf, typed } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

export interface DecisionChange {
  kind: CanonKind
  /** Displayed labels of both sides. */
  left: string[]
  right: string[]
  /** Keys of the previous clusters, for an immediate undo. Absent: too many. */
  before?: string[][]
}

export const memberId = (user_id: Types.ObjectId, kind: CanonKind, key: string): string =>
  hashOf(`${user_id.toHexString()}\n${kind}\n${key}`)

export const sharedDocId = (user_id: Types.ObjectId, narrative: string): string =>
  hashOf(`${user_id.toHexString()}\n${narrative}`)

const required = true
const plain = { _id: false, id: false } as const

export const canonSchema = defineSchema('canon', {
  /** The user. */
  _id: { type: Schema.Types.ObjectId, required },
  /** Version of the decisions; each decision increments it. Clusters of an earlier revision are never stored. */
  revision: { type: Number, default: 0 },
  /** Version of the texts; each text that is added to or removed from the graph increments it. */
  texts: { type: Number, default: 0 },
  /** Versions that the clusters are based on. Absent: never clustered. */
  clustered: {
    type: typed<{ revision: number; texts: number }>(new Schema({ revision: Number, texts: Number }, plain)),
  },
  /** Version of the clusters; each change by clustering or decision increments it. */
  version: { type: Number, default: 0 },
  method: { type: String, enum: CANON_METHODS, default: 'offline' },
  /** The user requested a comparison by meaning. */
  compare: typed<true>(Boolean),
  /** Reason for the failure of the last requested comparison. */
  failure: { type: String, enum: EXTRACTION_FAILURES },
})
/** State of a user's clusters. They are up to date if `clustered` equals the current `revision` and `texts`. */
export type CanonDoc = DocOf<typeof canonSchema>

export const canonMemberSchema = defineSchema('canon_members', {
  /** Hash of user, kind and key. */
  _id: { type: String, required },
  user_id: { type: Schema.Types.ObjectId, required },
  kind: { type: String, enum: CANON_KINDS, required },
  /** The folded label. */
  key: { type: String, required },
  /** The hash of the cluster's smallest key. */
  cluster: { type: String, required },
  why: { type: String, enum: CANON_REASONS, required },
  /** Whether the verb exchanges subject and object. */
  turned: typed<true>(Boolean),
})
/** A label that is not alone in its cluster. */
export type CanonMemberDoc = DocOf<typeof canonMemberSchema>
canonMemberSchema.index({ user_id: 1, cluster: 1 })

export const canonRuleSchema = defineSchema('canon_rules', {
  _id: { type: Schema.Types.ObjectId, required },
  user_id: { type: Schema.Types.ObjectId, required },
  kind: { type: String, enum: [...CANON_KINDS, 'narrative'] as const, required },
  a: { type: String, required },
  b: { type: String, required },
  relation: { type: String, enum: CANON_RELATIONS, required },
  at: { type: Date, required },
  decision: { type: Schema.Types.ObjectId, required },
})
canonRuleSchema.index({ user_id: 1, decision: 1 })
/** A user's decision about two labels or two narratives. It stays in force while no text contains them. */
export type CanonRuleDoc = DocOf<typeof canonRuleSchema>
/** A decision about two labels. */
export type LabelRuleDoc = CanonRuleDoc & { kind: CanonKind }

const change = new Schema<DecisionChange>(
  {
    kind: { type: String, enum: CANON_KINDS, required },
    left: [String],
    right: [String],
    before: { type: [[String]], default: undefined },
  },
  plain,
)
export const canonDecisionSchema = defineSchema('canon_decisions', {
  user_id: { type: Schema.Types.ObjectId, required },
  created_at: { type: Date, required },
  action: { type: String, enum: ['merge', 'split'], required },
  changes: { type: [change], required },
  /** Labels of the narrative that a merge is limited to. */
  narrative: { type: [String], default: undefined },
  undone_at: { type: Date, default: null },
})
/** A merge or a split. Its rules are in force until it is undone. */
export type CanonDecisionDoc = DocOf<typeof canonDecisionSchema>
canonDecisionSchema.index({ user_id: 1, created_at: -1, _id: -1 })

const text = { type: String, required } as const
const number = { type: Number, required } as const
const date = { type: Date, required } as const
interface Part {
  cluster: string
  label: string
  members: number
}
const part = {
  type: new Schema<Part>({ cluster: text, label: text, members: number }, plain),
  required,
} as const
export const canonSharedSchema = defineSchema('canon_shared', {
  /** Hash of user and narrative. */
  _id: text,
  user_id: { type: Schema.Types.ObjectId, required },
  /** The narrative's id across users. */
  narrative: text,
  parts: {
    type: new Schema<Record<'subject' | 'verb' | 'object', Part>>(
      { subject: part, verb: part, object: part },
      plain,
    ),
    required,
  },
  sentences: number,
  sources: number,
  triplets: number,
  since: date,
  last: date,
})
canonSharedSchema.index({ user_id: 1 })
canonSharedSchema.index({ narrative: 1, user_id: 1 })
/** A canonical narrative of a user as all users may see it: without texts. */
export type CanonSharedDoc = DocOf<typeof canonSharedSchema>

/** Whether the clusters are based on the current texts and decisions, and no comparison is requested. */
export const isClustered = ({ revision, texts, clustered, compare }: CanonDoc): boolean =>
  clustered?.revision === revision && clustered.texts === texts && !compare
