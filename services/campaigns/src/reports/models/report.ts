import type {
  LetInReason,
  REVISION_REASONS,
  ReportContent,
  ReportDraft,
  ReportPreview,
  ReportState,
  ReportVersionState,
} from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { Schema, type Types } from 'mongoose'

const required = true
const mixed = Schema.Types.Mixed

export interface ReportReply {
  id: string
  from: string
  text: string
  at: Date
}

export const reportSchema = defineSchema(
  'reports',
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    /** Its author; null once the account is deleted. */
    user_id: { type: Schema.Types.ObjectId, default: null },
    slug: { type: String, required },
    draft: { type: typed<ReportDraft>(mixed), required },
    state: { type: typed<ReportState>(String), required },
    /** Number of changes of the state, so that a step of an earlier state cannot write. */
    asked: { type: Number, required },
    /** When it was handed in; null for a draft. */
    handed_in_at: { type: Date, default: null },
    problem: { type: String, default: null },
    /** Number of its latest published version. */
    latest: { type: Number, default: null },
    published_at: { type: Date, default: null },
    first_at: { type: Date, default: null },
    listed: { type: Boolean, default: false },
    withdrawn: { type: typed<{ at: Date; reason: string } | null>(mixed), default: null },
    revision: { type: typed<(typeof REVISION_REASONS)[number]>(String), default: null },
    /** Ids of IODs and evidence that their authors took out. */
    taken_out: { type: typed<string[]>([String]), required },
    /** Ids of the IODs and cited evidence that were read at hand-in: files that are made again contain no others. */
    frozen: { type: typed<string[] | null>(mixed), select: false },
    replies: { type: typed<ReportReply[]>(mixed), required },
    /** Differs after each change of its published pages. */
    pages_revision: { type: Schema.Types.ObjectId, default: null },
    created_at: { type: Date, required },
    /** Number of the draft among those of its campaign; absent once published. */
    slot: Number,
  },
  { minimize: false, id: false },
)
/** A report of a campaign, with its draft. */
export type ReportDoc = DocOf<typeof reportSchema>
reportSchema.index({ slug: 1 }, { unique: true })
reportSchema.index({ campaign_id: 1 })
reportSchema.index(
  { campaign_id: 1, slot: 1 },
  { unique: true, partialFilterExpression: { slot: { $exists: true } } },
)
reportSchema.index({ user_id: 1 })
reportSchema.index({ state: 1, handed_in_at: 1 })
reportSchema.index({ listed: 1, published_at: -1 })

/** Ids of what a version rests on. */
export interface ReportSourceIds {
  iods: string[]
  evidence: string[]
  captures: string[]
  users: string[]
  /** Their users, with the beginning of the IOD's value or of the quote. */
  owned: { id: string; user: string; text: string }[]
}

export const reportVersionSchema = defineSchema(
  'report_versions',
  {
    report_id: { type: Schema.Types.ObjectId, required },
    /** User whose quota it uses; null once the account is deleted. */
    user_id: { type: Schema.Types.ObjectId, default: null },
    n: { type: Number, required },
    state: { type: typed<ReportVersionState>(String), required },
    /** Null once erased. */
    content: { type: typed<ReportContent | null>(mixed), default: null },
    /** SHA-256 of its manifest. */
    sha256: { type: String, required },
    change: { type: String, default: '' },
    sources: { type: typed<ReportSourceIds>(mixed), required },
    /** Whether a source was deleted, redacted or restricted during the review: it cannot be approved. */
    stale: { type: Boolean, default: false },
    left_out: { type: typed<ReportPreview['left_out']>(mixed), required },
    held_back: { type: typed<ReportPreview['held_back']>(mixed), required },
    bytes: { type: Number, required },
    made_at: { type: Date, required },
    approvable_at: { type: Date, required },
    approved_by: { type: Schema.Types.ObjectId, default: null },
    published_at: { type: Date, default: null },
    /** Law by which it was erased. */
    law: { type: String, default: null },
  },
  { minimize: false, id: false },
)
/** A version of a report. Its files are stored beside it. */
export type ReportVersionDoc = DocOf<typeof reportVersionSchema>
reportVersionSchema.index({ report_id: 1, n: 1 }, { unique: true })
reportVersionSchema.index({ user_id: 1 })
reportVersionSchema.index({ approved_by: 1 })
reportVersionSchema.index({ 'sources.evidence': 1 })
reportVersionSchema.index({ 'sources.captures': 1 })
reportVersionSchema.index({ 'sources.users': 1 })

/** Stored name of a version's page with its notices. */
export const SHOWN = 'shown'

export const reportFileSchema = defineSchema('report_files', {
  version_id: { type: Schema.Types.ObjectId, required },
  name: { type: String, required },
  type: { type: String, required },
  bytes: { type: Number, required },
  sha256: { type: String, required },
  gzip: { type: Buffer, required },
})
/** A file of a version, compressed. */
export type ReportFileDoc = DocOf<typeof reportFileSchema>
reportFileSchema.index({ version_id: 1, name: 1 }, { unique: true })

export const reportDecisionSchema = defineSchema('report_decisions', {
  report_id: { type: Schema.Types.ObjectId, required },
  iod_id: { type: typed<Types.ObjectId>(Schema.Types.ObjectId), required },
  let_in: { type: Boolean, required },
  reason: { type: typed<LetInReason>(String), default: null },
  by: { type: Schema.Types.ObjectId, default: null },
})
/** A decision on personal data. */
export type ReportDecisionDoc = DocOf<typeof reportDecisionSchema>
reportDecisionSchema.index({ report_id: 1, iod_id: 1 }, { unique: true })
reportDecisionSchema.index({ by: 1 })
