import { forbidden, notFound } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import type { ReportDoc } from '../models/report.js'

type Reports = Pick<Store, 'reports'>

/** Returns a report. Throws 404. */
export const findReport = async ({ reports }: Reports, id: string): Promise<ReportDoc> => {
  const doc = await reports.findById(id).lean<ReportDoc>()
  if (!doc) throw notFound()
  return doc
}

/** Returns an own report. Throws 404, 403 for another user's. */
export const findOwn = async (store: Reports, userId: string, id: string): Promise<ReportDoc> => {
  const doc = await findReport(store, id)
  if (doc.user_id?.toHexString() !== userId) throw forbidden()
  return doc
}
