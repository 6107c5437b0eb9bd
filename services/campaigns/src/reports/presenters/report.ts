import type { ReportDetail, ReportSummary } from '@iodine/contracts'
import type { ReportDoc, ReportVersionDoc } from '../models/report.js'

/** Presents a report in lists. */
export const presentReport = (doc: ReportDoc, userId: string): ReportSummary => ({
  id: doc._id.toHexString(),
  campaign_id: doc.campaign_id.toHexString(),
  slug: doc.slug,
  title: doc.draft.title,
  state: doc.state,
  latest: doc.latest ?? null,
  withdrawn_at: doc.withdrawn?.at.toISOString() ?? null,
  revision: doc.revision ?? null,
  own: doc.user_id?.toHexString() === userId,
})

/** Presents a report with its draft and versions. */
export const presentReportDetail = (
  doc: ReportDoc,
  versions: readonly ReportVersionDoc[],
  userId: string,
): ReportDetail => ({
  ...presentReport(doc, userId),
  draft: doc.draft,
  problem: doc.problem ?? null,
  approvable_at: versions.find(({ state }) => state === 'review')?.approvable_at.toISOString() ?? null,
  versions: versions.map(({ n, state, sha256, change, made_at, published_at }) => ({
    n,
    state,
    sha256,
    change: change ?? '',
    made_at: made_at.toISOString(),
    published_at: published_at?.toISOString() ?? null,
  })),
  replies: doc.replies.map(({ at, ...reply }) => ({ ...reply, at: at.toISOString() })),
  withdrawn_reason: doc.withdrawn?.reason ?? null,
})
