import { PROPOSAL_MODES, PROPOSAL_STATES, type QuoteSource, type TechniqueProposals } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

/** A proposed technique with its sentence. */
export interface ProposalItem {
  tid: string
  /** Id of the narrative or evidence that contains the sentence; the hash of a pasted text. */
  source_id: string
  /** UTF-16 offsets into that text. */
  start: number
  end: number
}

const required = true
export const proposalSchema = defineSchema(
  'technique_proposals',
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    /** The only user who sees it. */
    user_id: { type: Schema.Types.ObjectId, required },
    /** Id of the narrative, hash of the pasted text; null for evidence of the campaign. */
    source: { type: typed<{ kind: QuoteSource; id: string | null }>(Schema.Types.Mixed), required },
    /** Hash of all texts that were read. */
    text_hash: { type: String, required },
    /** The pasted text; absent for others, which their owners store. */
    text: String,
    state: { type: String, enum: PROPOSAL_STATES, required },
    /** True until the run is done: a user has one. */
    open: Boolean,
    mode: { type: String, enum: PROPOSAL_MODES, required },
    model: { type: String, default: null },
    /** Version of DISARM's list. */
    list: { type: String, required },
    failure: { type: typed<TechniqueProposals['failure']>(String), default: null },
    items: { type: typed<ProposalItem[]>(Schema.Types.Mixed), required },
    /** Techniques that the user accepted or rejected. */
    accepted: { type: typed<string[]>([String]), required },
    rejected: { type: typed<string[]>([String]), required },
    dropped: { type: Number, required },
    sentences: { type: Number, required },
    omitted: { type: Number, required },
    at: { type: Date, required },
    expires_at: { type: Date, required },
  },
  { minimize: false, id: false },
)
/** A run that proposes techniques for a text. */
export type ProposalDoc = DocOf<typeof proposalSchema>
export type ProposalModel = Model<ProposalDoc>

proposalSchema.index(
  { user_id: 1, open: 1 },
  { unique: true, partialFilterExpression: { open: { $exists: true } } },
)
proposalSchema.index({ user_id: 1, campaign_id: 1, text_hash: 1 })
proposalSchema.index({ campaign_id: 1 })
proposalSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
