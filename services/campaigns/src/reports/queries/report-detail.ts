import type { ReportDetail } from '@iodine/contracts'
import { type Caller, forbidden, isAdmin, type Peers } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import type { ReportDoc, ReportVersionDoc } from '../models/report.js'
import { presentReportDetail } from '../presenters/report.js'
import { findReport } from './find-report.js'

type Reports = Pick<Store, 'reports' | 'reportVersions'>

/** Returns a report to its author, or to an administrator once it was handed in. Throws 404, 403. */
export const findReadable = async (
  store: Reports,
  peers: Peers,
  user: Caller,
  id: string,
): Promise<ReportDoc> => {
  const doc = await findReport(store, id)
  const isOwn = doc.user_id?.toHexString() === user.id
  const isOpen = doc.state !== 'draft' || (doc.latest ?? null) !== null
  if (isOwn || (isOpen && (await isAdmin(peers, user.id, user.sid)))) return doc
  throw forbidden()
}

/** Returns a report with its versions, as a user sees it. Throws 404. */
export const readDetail = async (store: Reports, userId: string, id: string): Promise<ReportDetail> => {
  // Read first: its state never precedes its versions.
  const report = await findReport(store, id)
  const versions = await store.reportVersions
    .find({ report_id: report._id }, { content: 0 })
    .sort({ n: -1 })
    .lean<ReportVersionDoc[]>()
  return presentReportDetail(report, versions, userId)
}

/** Returns the version of a report in review; null without one. */
export const findInReview = async (
  { reportVersions }: Pick<Store, 'reportVersions'>,
  { _id }: Pick<ReportDoc, '_id'>,
): Promise<ReportVersionDoc | null> =>
  reportVersions.findOne({ report_id: _id, state: 'review' }).lean<ReportVersionDoc>()
