import { createHash, randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { type BodyOf, DETAILS, REPORT_FILES, type reportsApi } from '@iodine/contracts'
import { type NoticedVersion, withNotices } from '@iodine/reports'
import { conflict, forbidden, HttpError, inTransaction } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Store } from '../../models.js'
import { type ReportDoc, type ReportVersionDoc, SHOWN } from '../models/report.js'
import { findReport } from '../queries/find-report.js'
import { readText } from '../queries/published.js'
import { requireClear } from '../queries/sources.js'
import { dropReview } from './edit-report.js'

const compress = promisify(gzip)

/** Invalidates the cached pages of a report. */
const changePages = ({ reports }: Store, _id: Types.ObjectId, session: ClientSession) =>
  reports.updateOne({ _id }, { $set: { pages_revision: new Types.ObjectId() } }, { session })

/** Stores the pages of all published versions with their current notices, from the pages that were approved. */
const showNotices = async (
  store: Store,
  { _id, latest, replies }: Pick<ReportDoc, '_id' | 'latest' | 'replies'>,
  session: ClientSession,
): Promise<void> => {
  const { reportVersions, reportFiles } = store
  const notices = {
    latest,
    replies: replies.map(({ from, text, at }) => ({ from, text, at: at.toISOString() })),
  }
  const fields = { 'content.slug': 1, 'content.n': 1, 'content.language': 1, 'content.change': 1 } as const
  const versions = await reportVersions
    .find({ report_id: _id, state: { $in: ['published', 'superseded'] } }, fields)
    .session(session)
    .lean<{ _id: Types.ObjectId; content: NoticedVersion | null }[]>()
  for (const { _id: version_id, content } of versions) {
    const page = await readText({ reportFiles }, { _id: version_id }, 'page.html', session)
    if (!content || page === null) continue
    const bytes = Buffer.from(withNotices(page, content, notices))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = { type: REPORT_FILES['page.html'], bytes: bytes.length, sha256, gzip: await compress(bytes) }
    await reportFiles.updateOne({ version_id, name: SHOWN }, { $set: file }, { session, upsert: true })
  }
  await changePages(store, _id, session)
}

/**
 * Publishes the version in review.
 * @throws HttpError 404, 403 for its author, 409 for other bytes, before its time, outside a review, or if its campaign
 *   is not TLP:CLEAR or one of its sources is gone
 */
export const approveReport = async (
  store: Store,
  userId: string,
  id: string,
  { sha256, attribution }: BodyOf<typeof reportsApi.approveReport>,
): Promise<void> => {
  const { reports, reportVersions, mongo } = store
  const report = await findReport(store, id)
  if (report.user_id?.toHexString() === userId) throw forbidden()
  if (report.withdrawn) throw conflict(DETAILS.reportWithdrawn)
  const version = await reportVersions
    .findOne({ report_id: report._id, state: 'review' })
    .lean<ReportVersionDoc>()
  if (report.state !== 'review' || !version) throw conflict(DETAILS.reportNotInReview)
  if (version.sha256 !== sha256) throw conflict(DETAILS.reportOtherBytes)
  if (version.approvable_at.getTime() > Date.now())
    throw conflict(`This version can be approved from ${version.approvable_at.toISOString()}`)
  if (version.content?.attribution?.by === 'ours' && !attribution) throw conflict(DETAILS.reportAttribution)
  await requireClear(store, report.campaign_id.toHexString())
  const now = new Date()
  await inTransaction(mongo, async session => {
    const changed = await reports
      .findOneAndUpdate(
        { _id: report._id, state: 'review', asked: report.asked, withdrawn: null },
        {
          $set: {
            ...{ state: 'draft', handed_in_at: null, latest: version.n, published_at: now, revision: null },
            ...{
              listed: version.content?.listed ?? false,
              first_at: report.first_at ?? now,
              'draft.change': '',
            },
          },
          $inc: { asked: 1 },
          $unset: { slot: 1 },
        },
        { session, returnDocument: 'after' },
      )
      .lean<ReportDoc>()
    if (!changed) throw conflict(DETAILS.reportOtherBytes)
    await reportVersions.updateMany(
      { report_id: report._id, state: 'published' },
      { $set: { state: 'superseded' } },
      { session },
    )
    const { matchedCount } = await reportVersions.updateOne(
      { _id: version._id, sha256, stale: { $ne: true } },
      { $set: { state: 'published', approved_by: new Types.ObjectId(userId), published_at: now } },
      { session },
    )
    if (matchedCount === 0) throw conflict(DETAILS.reportStale)
    await showNotices(store, changed, session)
  })
}

/** Returns the version in review to its author. Throws 404, 409 outside a review. */
export const refuseReport = async (store: Store, id: string, why: string): Promise<void> => {
  const report = await findReport(store, id)
  await store.quotas.settle(async (session, take) => {
    const { matchedCount } = await store.reports.updateOne(
      { _id: report._id, state: 'review', asked: report.asked },
      { $set: { state: 'draft', problem: why, handed_in_at: null }, $inc: { asked: 1 } },
      { session },
    )
    if (matchedCount === 0) throw conflict(DETAILS.reportNotInReview)
    await dropReview(store, report, session, take)
  })
}

/** Withdraws a published report at once and for good. Throws 404, 409 if it is not published. */
export const withdrawReport = async (store: Store, id: string, reason: string): Promise<void> => {
  const report = await findReport(store, id)
  if (report.latest === null) throw conflict(DETAILS.reportNotPublished)
  if (report.withdrawn) throw conflict(DETAILS.reportWithdrawn)
  await store.quotas.settle(async (session, take) => {
    await store.reports.updateOne(
      { _id: report._id, withdrawn: null },
      {
        $set: { withdrawn: { at: new Date(), reason }, state: 'draft', listed: false, handed_in_at: null },
        $inc: { asked: 1 },
      },
      { session },
    )
    await dropReview(store, report, session, take)
    await store.reportVersions.updateMany(
      { report_id: report._id, state: { $in: ['published', 'superseded'] } },
      { $set: { state: 'withdrawn' } },
      { session },
    )
  })
}

/** Deletes the content of a version for legal reasons. Throws 404, 409 if it is erased or in review. */
export const eraseReport = async (store: Store, id: string, n: number, law: string): Promise<void> => {
  const report = await findReport(store, id)
  await store.quotas.settle(async (session, take) => {
    const before = await store.reportVersions
      .findOneAndUpdate(
        { report_id: report._id, n, state: { $in: ['published', 'superseded', 'withdrawn'] } },
        { $set: { state: 'erased', law, content: null, change: '', bytes: 0, left_out: [], held_back: [] } },
        { session },
      )
      .lean<ReportVersionDoc>()
    if (!before) throw conflict(DETAILS.reportNotPublished)
    await store.reportFiles.deleteMany({ version_id: before._id }, { session })
    await changePages(store, report._id, session)
    await take(before.user_id, { published_bytes: -before.bytes })
  })
}

/** Shows a reply on the pages of a published report. Throws 404, 409 if it is not published, 413. */
export const replyToReport = async (
  store: Store,
  id: string,
  reply: BodyOf<typeof reportsApi.replyToReport>,
): Promise<void> => {
  const report = await findReport(store, id)
  if (report.latest === null) throw conflict(DETAILS.reportNotPublished)
  await inTransaction(store.mongo, async session => {
    const changed = await store.reports
      .findOneAndUpdate(
        { _id: report._id, 'replies.49': { $exists: false } },
        {
          $push: { replies: { id: randomUUID().replaceAll('-', '').slice(0, 24), ...reply, at: new Date() } },
        },
        { session, returnDocument: 'after' },
      )
      .lean<ReportDoc>()
    if (!changed) throw new HttpError(413, DETAILS.reportRepliesFull)
    await showNotices(store, changed, session)
  })
}

/** Shows a report that is under revision again. Throws 404. */
export const standReport = async (store: Store, id: string): Promise<void> => {
  const report = await findReport(store, id)
  await store.reports.updateOne({ _id: report._id }, { $set: { revision: null } })
}

/**
 * Takes a user's IODs and evidence out of a report in review, whose files are made again. Resolves to their number.
 * @throws HttpError 404, 409 outside a review
 */
export const takeOut = async (store: Store, id: string, ids: readonly string[]): Promise<number> => {
  const report = await findReport(store, id)
  if (report.state !== 'review') throw conflict(DETAILS.reportNotInReview)
  if (ids.length === 0) return 0
  await store.quotas.settle(async (session, take) => {
    const { matchedCount } = await store.reports.updateOne(
      { _id: report._id, state: 'review', asked: report.asked },
      { $set: { state: 'making' }, $addToSet: { taken_out: { $each: [...ids] } }, $inc: { asked: 1 } },
      { session },
    )
    if (matchedCount === 0) throw conflict(DETAILS.reportNotInReview)
    await dropReview(store, report, session, take)
    await store.work.reports.add({ id: report._id.toHexString() }, { session })
  })
  return ids.length
}

/**
 * Hides the published reports that rest on an id, until a new version or an administrator's decision. Versions in review
 * that rest on it can no longer be approved.
 */
export const markUnderRevision = async (
  { reports, reportVersions }: Pick<Store, 'reports' | 'reportVersions'>,
  which: { source: string } | { campaign_id: Types.ObjectId },
  revision: NonNullable<ReportDoc['revision']>,
  session?: ClientSession,
): Promise<void> => {
  const options = session ? { session } : {}
  const resting =
    'source' in which
      ? { $or: ['evidence', 'captures', 'iods'].map(kind => ({ [`sources.${kind}`]: which.source })) }
      : { report_id: { $in: await reports.distinct('_id', which, options) } }
  await reportVersions.updateMany({ state: 'review', ...resting }, { $set: { stale: true } }, options)
  const published = { state: { $in: ['published' as const, 'superseded' as const] }, ...resting }
  const _id = { $in: await reportVersions.distinct('report_id', published, options) }
  await reports.updateMany({ _id, latest: { $ne: null }, withdrawn: null }, { $set: { revision } }, options)
}
