import type { ResponseOf, reportsApi } from '@iodine/contracts'
import type { CampaignModels } from '../../models.js'
import type { ReportDoc, ReportSourceIds, ReportVersionDoc } from '../models/report.js'
import { presentReport } from '../presenters/report.js'

/** Maximum texts of a report. */
const TEXTS_MAX = 20

type QuotingVersion = Pick<ReportVersionDoc, 'report_id' | 'approvable_at'> & Pick<ReportSourceIds, 'owned'>

/** Returns the reports of others in review that contain evidence or IODs of a user. */
export const listQuoted = async (
  { reports, reportVersions }: Pick<CampaignModels, 'reports' | 'reportVersions'>,
  userId: string,
): Promise<ResponseOf<typeof reportsApi.listQuoted>> => {
  const isOwn = { $eq: ['$$each.user', userId] }
  const owned = { $filter: { input: '$sources.owned', as: 'each', cond: isOwn } }
  const versions = await reportVersions.aggregate<QuotingVersion>([
    { $match: { state: 'review', 'sources.users': userId } },
    { $limit: 500 },
    { $project: { report_id: 1, approvable_at: 1, owned } },
  ])
  const docs = await reports.find({ _id: { $in: versions.map(each => each.report_id) } }).lean<ReportDoc[]>()
  return docs.flatMap(doc => {
    const version = versions.find(({ report_id }) => report_id.equals(doc._id))
    if (!version || doc.user_id?.toHexString() === userId) return []
    const until = version.approvable_at.toISOString()
    const texts = version.owned.slice(0, TEXTS_MAX).map(({ text }) => text)
    return [{ ...presentReport(doc, userId), until, items: version.owned.length, texts }]
  })
}
