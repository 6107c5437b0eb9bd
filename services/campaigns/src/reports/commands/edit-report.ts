import { randomBytes } from 'node:crypto'
import { type BodyOf, DETAILS, LIMITS, type ReportDraft, type reportsApi } from '@iodine/contracts'
import { conflict, HttpError, inTransaction, notFound } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import { accessError, createdBy } from '../../campaigns/commands/edit-campaign.js'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import type { Store } from '../../models.js'
import type { ReportDoc, ReportVersionDoc } from '../models/report.js'
import { findOwn } from '../queries/find-report.js'
import { requireClear } from '../queries/sources.js'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
/** Returns 16 random characters of base32: 80 bits. */
const newSlug = () => Array.from(randomBytes(16), byte => ALPHABET[byte % 32]).join('')

/** Numbers of a campaign's drafts; the unique index on them makes the limit hold. */
const SLOTS = Array.from({ length: LIMITS.reportDraftsMax }, (_, n) => n)

const draftOf = ({ name, description }: CampaignDoc): ReportDraft => ({
  language: 'en',
  title: [...name].slice(0, 300).join(''),
  aliases: [],
  summary: [...description].slice(0, 1_500).join(''),
  findings: [],
  unknown: '',
  method: '',
  references: [],
  attribution: null,
  licence: 'CC-BY-4.0',
  doi: null,
  signed: false,
  listed: false,
  change: '',
})

/**
 * Creates a draft.
 * @throws HttpError 404, 403 for another user's campaign, 409 unless it is TLP:CLEAR, 413 above the limit
 */
export const createReport = async (store: Store, userId: string, campaignId: string): Promise<string> => {
  const { campaigns, reports, mongo } = store
  const campaign = await campaigns.findOne(createdBy(userId, campaignId)).lean<CampaignDoc>()
  if (!campaign) throw await accessError(campaigns, campaignId)
  await requireClear(store, campaignId)
  const doc: ReportDoc = {
    _id: new Types.ObjectId(),
    campaign_id: campaign._id,
    user_id: new Types.ObjectId(userId),
    slug: newSlug(),
    draft: draftOf(campaign),
    state: 'draft',
    asked: 0,
    handed_in_at: null,
    problem: null,
    latest: null,
    published_at: null,
    first_at: null,
    listed: false,
    withdrawn: null,
    revision: null,
    taken_out: [],
    frozen: null,
    replies: [],
    pages_revision: null,
    created_at: new Date(),
  }
  const insert = async (session: ClientSession) => {
    const used = await reports.distinct('slot', { campaign_id: campaign._id }).session(session)
    const slot = SLOTS.find(each => !used.includes(each))
    if (slot === undefined) throw new HttpError(413, DETAILS.reportDraftsFull)
    await reports.insertMany([{ ...doc, slot }], { session, lean: true })
  }
  await inTransaction(mongo, insert, { retriesDuplicates: true })
  return doc._id.toHexString()
}

const requireDraft = ({ state, withdrawn }: ReportDoc) => {
  if (withdrawn) throw conflict(DETAILS.reportWithdrawn)
  if (state !== 'draft') throw conflict(DETAILS.reportInReview)
}

/** Changes an own draft. Throws 404, 403, 409 in review. */
export const editReport = async (
  { reports }: Store,
  userId: string,
  id: string,
  changes: BodyOf<typeof reportsApi.editReport>,
): Promise<void> => {
  const doc = await findOwn({ reports }, userId, id)
  requireDraft(doc)
  const $set = Object.fromEntries(Object.entries(changes).map(([name, value]) => [`draft.${name}`, value]))
  if (Object.keys($set).length === 0) return
  const { matchedCount } = await reports.updateOne(
    { _id: doc._id, state: 'draft', withdrawn: null },
    { $set },
  )
  if (matchedCount === 0) throw conflict(DETAILS.reportInReview)
}

/** Decides on personal data of an own draft. Throws 404, also for an IOD of no such campaign, 403, 409 in review. */
export const decideReport = async (
  { campaigns, reports, reportDecisions }: Store,
  userId: string,
  { id, iod_id }: { id: string; iod_id: string },
  { let_in, reason }: BodyOf<typeof reportsApi.decideReport>,
): Promise<void> => {
  const doc = await findOwn({ reports }, userId, id)
  requireDraft(doc)
  const iod = new Types.ObjectId(iod_id)
  if (!(await campaigns.exists({ _id: doc.campaign_id, iod_ids: iod }))) throw notFound()
  await reportDecisions.updateOne(
    { report_id: doc._id, iod_id: iod },
    { $set: { let_in, reason: let_in ? reason : null, by: new Types.ObjectId(userId) } },
    { upsert: true },
  )
}

/** Hands a draft in: enqueues the making of its files. Throws 404, 403, 409 unless it is a complete draft. */
export const handInReport = async (store: Store, userId: string, id: string): Promise<void> => {
  const { reports, mongo, work } = store
  const doc = await findOwn(store, userId, id)
  requireDraft(doc)
  const { title, summary, method, findings, change } = doc.draft
  const isComplete = [title, summary, method].every(text => text.trim() !== '') && findings.length > 0
  if (!isComplete) throw conflict(DETAILS.reportIncomplete)
  if (doc.latest !== null && change.trim() === '') throw conflict(DETAILS.reportChangeMissing)
  if ((doc.latest ?? 0) >= LIMITS.reportVersionsMax) throw conflict(DETAILS.reportVersionsFull)
  await requireClear(store, doc.campaign_id.toHexString())
  await inTransaction(mongo, async session => {
    const { matchedCount } = await reports.updateOne(
      { _id: doc._id, state: 'draft', withdrawn: null },
      {
        $set: { state: 'making', problem: null, handed_in_at: new Date(), frozen: null },
        $inc: { asked: 1 },
      },
      { session },
    )
    if (matchedCount === 0) throw conflict(DETAILS.reportInReview)
    await work.reports.add({ id: doc._id.toHexString() }, { session })
  })
}

/** Deletes the version in review with its files, and returns their bytes. Runs in a transaction. */
export const dropReview = async (
  { reportVersions, reportFiles }: Store,
  { _id }: Pick<ReportDoc, '_id'>,
  ...[session, take]: Parameters<Parameters<Store['quotas']['settle']>[0]>
): Promise<void> => {
  const gone = await reportVersions
    .findOneAndDelete({ report_id: _id, state: 'review' }, { session })
    .lean<ReportVersionDoc>()
  if (!gone) return
  await reportFiles.deleteMany({ version_id: gone._id }, { session })
  await take(gone.user_id, { published_bytes: -gone.bytes })
}

/** Deletes an own report that was never published. Throws 404, 403, 409. */
export const deleteReport = async (store: Store, userId: string, id: string): Promise<void> => {
  const doc = await findOwn(store, userId, id)
  await store.quotas.settle(async (session, take) => {
    const { deletedCount } = await store.reports.deleteOne({ _id: doc._id, latest: null }, { session })
    if (deletedCount === 0) throw conflict(DETAILS.reportPublished)
    await dropReview(store, doc, session, take)
    await store.reportDecisions.deleteMany({ report_id: doc._id }, { session })
  })
}
