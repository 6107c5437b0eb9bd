import {
  CANON_KINDS,
  CANON_METHODS,
  CANON_REASONS,
  CANON_RELATIONS,
  type CanonKind,
  type CanonMethod,
  type CanonReason,
  EXTRACTION_FAILURES,
  type ExtractionFailure,
} from '@iodine/contracts'
import { hashOf } from '@iodine/service-kit'
import { type InferSchemaType, Schema, type Types } from 'mongoose'

/** State of a user's clusters. They are up to date if `clustered` equals the current `revision` and `texts`. */
export interface CanonDoc {
  /** The user. */
  _id: Types.ObjectId
  /** Version of the decisions; each decision increments it. Clusters of an earlier revision are never stored. */
  revision: number
  /** Version of the texts; each text that is added to or removed from the graph increments it. */
  texts: number
  /** Versions that the clusters are based on. Absent: never clustered. */
  clustered?: { revision: number; texts: number }
  /** Version of the clusters; each change by clustering or decision increments it. */
  version: number
  method: CanonMethod
  /** The user requested a comparison by meaning. */
  compare?: true
  /** Reason for the failure of the last requested comparison. */
  failure?: ExtractionFailure
}

/** A label that is not alone in its cluster. */
export interface CanonMemberDoc {
  /** Hash of user, kind and key. */
  _id: string
  user_id: Types.ObjectId
  kind: CanonKind
  /** The folded label. */
  key: string
  /** The hash of the cluster's smallest key. */
  cluster: string
  why: CanonReason
  /** Whether the verb exchanges subject and object. */
  turned?: true
}

export interface DecisionChange {
  kind: CanonKind
  /** Displayed labels of both sides. */
  left: string[]
  right: string[]
  /** Keys of the previous clusters, for an immediate undo. Absent: too many. */
  before?: string[][]
}

/** A merge or a split. Its rules are in force until it is undone. */
export interface CanonDecisionDoc {
  _id: Types.ObjectId
  user_id: Types.ObjectId
  created_at: Date
  action: 'merge' | 'split'
  changes: DecisionChange[]
  /** Labels of the narrative that a merge is limited to. */
  narrative?: string[]
  undone_at: Date | null
}

export const memberId = (user_id: Types.ObjectId, kind: CanonKind, key: string): string =>
  hashOf(`${user_id.toHexString()}\n${kind}\n${key}`)

export const sharedDocId = (user_id: Types.ObjectId, narrative: string): string =>
  hashOf(`${user_id.toHexString()}\n${narrative}`)

const required = true
const own = { versionKey: false, id: false } as const
const plain = { _id: false, id: false } as const

export const canonSchema = new Schema<CanonDoc>(
  {
    revision: { type: Number, default: 0 },
    texts: { type: Number, default: 0 },
    clustered: { type: new Schema({ revision: Number, texts: Number }, plain) },
    version: { type: Number, default: 0 },
    method: { type: String, enum: CANON_METHODS, default: 'offline' },
    compare: Boolean,
    failure: { type: String, enum: EXTRACTION_FAILURES },
  },
  { collection: 'canon', ...own },
)

export const canonMemberSchema = new Schema<CanonMemberDoc>(
  {
    _id: { type: String, required },
    user_id: { type: Schema.Types.ObjectId, required },
    kind: { type: String, enum: CANON_KINDS, required },
    key: { type: String, required },
    cluster: { type: String, required },
    why: { type: String, enum: CANON_REASONS, required },
    turned: Boolean,
  },
  { collection: 'canon_members', ...own },
)
canonMemberSchema.index({ user_id: 1, cluster: 1 })

export const canonRuleSchema = new Schema(
  {
    _id: { type: Schema.Types.ObjectId, required },
    user_id: { type: Schema.Types.ObjectId, required },
    kind: { type: String, enum: [...CANON_KINDS, 'narrative'] as const, required },
    a: { type: String, required },
    b: { type: String, required },
    relation: { type: String, enum: CANON_RELATIONS, required },
    at: { type: Date, required },
    decision: { type: Schema.Types.ObjectId, required },
  },
  { collection: 'canon_rules', ...own },
)
canonRuleSchema.index({ user_id: 1, decision: 1 })
/** A user's decision about two labels or two narratives. It stays in force while no text contains them. */
export type CanonRuleDoc = InferSchemaType<typeof canonRuleSchema>
/** A decision about two labels. */
export type LabelRuleDoc = CanonRuleDoc & { kind: CanonKind }

export const canonDecisionSchema = new Schema<CanonDecisionDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    created_at: { type: Date, required },
    action: { type: String, enum: ['merge', 'split'], required },
    changes: [
      new Schema<DecisionChange>(
        {
          kind: { type: String, enum: CANON_KINDS, required },
          left: [String],
          right: [String],
          before: { type: [[String]], default: undefined },
        },
        plain,
      ),
    ],
    narrative: { type: [String], default: undefined },
    undone_at: { type: Date, default: null },
  },
  { collection: 'canon_decisions', ...own },
)
canonDecisionSchema.index({ user_id: 1, created_at: -1, _id: -1 })

const text = { type: String, required } as const
const number = { type: Number, required } as const
const date = { type: Date, required } as const
const part = { type: new Schema({ cluster: text, label: text, members: number }, plain), required } as const
export const canonSharedSchema = new Schema(
  {
    /** Hash of user and narrative. */
    _id: text,
    user_id: { type: Schema.Types.ObjectId, required },
    /** The narrative's id across users. */
    narrative: text,
    parts: { type: new Schema({ subject: part, verb: part, object: part }, plain), required },
    sentences: number,
    sources: number,
    triplets: number,
    since: date,
    last: date,
  },
  { collection: 'canon_shared', ...own },
)
canonSharedSchema.index({ user_id: 1 })
canonSharedSchema.index({ narrative: 1, user_id: 1 })
/** A canonical narrative of a user as all users may see it: without texts. */
export type CanonSharedDoc = InferSchemaType<typeof canonSharedSchema>

/** Whether the clusters are based on the current texts and decisions, and no comparison is requested. */
export const isClustered = ({ revision, texts, clustered, compare }: CanonDoc): boolean =>
  clustered?.revision === revision && clustered.texts === texts && !compare
