import { DETAILS, DONE, reportsApi } from '@iodine/contracts'
import { conflict, requireAdmin, requirePasskeyAdmin, type StoreService } from '@iodine/service-kit'
import type { CampaignsConfig } from '../../config.js'
import type { Store } from '../../models.js'
import { recorded } from '../commands/recorded.js'
import {
  approveReport,
  eraseReport,
  refuseReport,
  replyToReport,
  standReport,
  takeOut,
  withdrawReport,
} from '../commands/review.js'
import type { ReportDoc, ReportVersionDoc } from '../models/report.js'
import { requireReports } from '../policies/site.js'
import { presentReport } from '../presenters/report.js'
import { findReport } from '../queries/find-report.js'
import { listQuoted } from '../queries/list-quoted.js'
import { readText } from '../queries/published.js'
import { findInReview, findReadable, readDetail } from '../queries/report-detail.js'

/** Adds the routes of reports in review and published ones, for reviewers, authors and quoted users. */
export const addReviewRoutes = (service: StoreService, store: Store, config: CampaignsConfig): void => {
  const { peers } = service

  service.route(reportsApi.listReviews, async ({ user }) => {
    await requireAdmin(peers, user)
    const docs = await store.reports
      .find({ state: 'review' })
      .sort({ handed_in_at: 1 })
      .limit(500)
      .lean<ReportDoc[]>()
    return docs.map(doc => presentReport(doc, user.id))
  })
  service.route(reportsApi.getReviewPage, async ({ params, user }) => {
    const doc = await findReadable(store, peers, user, params.id)
    const version = await findInReview(store, doc)
    if (!version) throw conflict(DETAILS.reportNotInReview)
    const before = await store.reportVersions
      .findOne({ report_id: doc._id, n: doc.latest ?? 0 })
      .lean<ReportVersionDoc>()
    const { n, sha256, left_out, held_back, approvable_at } = version
    return {
      html: (await readText(store, version, 'page.html')) ?? '',
      text: (await readText(store, version, 'report.md')) ?? '',
      previous: await readText(store, before, 'report.md'),
      ...{ n, sha256, left_out, held_back, approvable_at: approvable_at.toISOString() },
    }
  })
  service.route(reportsApi.approveReport, async call => {
    const { params, user, body } = call
    requireReports(config)
    await requirePasskeyAdmin(peers, user)
    await recorded(service, call, 'report.approved', () => approveReport(store, user.id, params.id, body))
    return readDetail(store, user.id, params.id)
  })
  service.route(reportsApi.refuseReport, async call => {
    const { params, user, body } = call
    await requireAdmin(peers, user)
    await recorded(service, call, 'report.refused', () => refuseReport(store, params.id, body.why))
    return DONE
  })
  service.route(reportsApi.withdrawReport, async call => {
    const { params, user, body } = call
    const doc = await findReport(store, params.id)
    if (doc.user_id?.toHexString() !== user.id) await requireAdmin(peers, user)
    await recorded(service, call, 'report.withdrawn', () => withdrawReport(store, params.id, body.reason))
    return readDetail(store, user.id, params.id)
  })
  service.route(reportsApi.eraseReport, async call => {
    const { params, user, body } = call
    await requireAdmin(peers, user)
    await recorded(service, call, 'report.erased', () => eraseReport(store, params.id, body.n, body.law))
    return readDetail(store, user.id, params.id)
  })
  service.route(reportsApi.replyToReport, async call => {
    const { params, user, body } = call
    await requireAdmin(peers, user)
    await recorded(service, call, 'report.replied', () => replyToReport(store, params.id, body))
    return readDetail(store, user.id, params.id)
  })
  service.route(reportsApi.standReport, async call => {
    const { params, user } = call
    await requireAdmin(peers, user)
    await recorded(service, call, 'report.reinstated', () => standReport(store, params.id))
    return readDetail(store, user.id, params.id)
  })
  service.route(reportsApi.listQuoted, ({ user }) => listQuoted(store, user.id))
  service.route(reportsApi.takeOut, async call => {
    const { params, user } = call
    const version = await findInReview(store, await findReport(store, params.id))
    const owned = version?.sources.owned.filter(each => each.user === user.id) ?? []
    const ids = owned.map(each => each.id)
    const work = () => takeOut(store, params.id, ids)
    return { taken_out: ids.length > 0 ? await recorded(service, call, 'report.taken-out', work) : 0 }
  })
}
