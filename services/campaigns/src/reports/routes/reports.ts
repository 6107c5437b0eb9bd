import { type AuditAction, DETAILS, DONE, type ReportDetail, reportsApi } from '@iodine/contracts'
import {
  type Caller,
  conflict,
  createKeyedLimiter,
  type FastifyRequest,
  forbidden,
  isAdmin,
  requireAdmin,
  requirePasskeyAdmin,
  type StoreService,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CampaignsConfig } from '../../config.js'
import type { Store } from '../../models.js'
import {
  createReport,
  decideReport,
  deleteReport,
  editReport,
  handInReport,
} from '../commands/edit-report.js'
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
import { siteOf } from '../policies/site.js'
import { presentReport, presentReportDetail } from '../presenters/report.js'
import { findOwn, findReport } from '../queries/find-report.js'
import { listQuoted } from '../queries/list-quoted.js'
import { readText } from '../queries/published.js'
import { readCitable, readSources } from '../queries/sources.js'
import { renderInThread } from '../thread/render.js'

/** Adds the routes of reports, for their authors, reviewers and quoted users. */
export const addReportRoutes = (service: StoreService, store: Store, config: CampaignsConfig): void => {
  const { reports, reportVersions } = store
  const { peers, users } = service
  const site = siteOf(config)
  const requireOn = () => {
    if (config.REPORTS === 'off') throw conflict(DETAILS.reportsOff)
  }
  const find = (id: string) => findReport(store, id)
  /** A preview reads all IODs and evidence of a campaign: one at a time for each user. */
  const previews = createKeyedLimiter()
  const evidenceReads = createKeyedLimiter()
  /** Returns a report to its author, or to an administrator once it was handed in. */
  const findReadable = async (user: Caller, id: string): Promise<ReportDoc> => {
    const doc = await find(id)
    const isOwn = doc.user_id?.toHexString() === user.id
    const isOpen = doc.state !== 'draft' || (doc.latest ?? null) !== null
    if (isOwn || (isOpen && (await isAdmin(peers, user.id, user.sid)))) return doc
    throw forbidden()
  }
  const presentOne = async (user: Caller, id: string): Promise<ReportDetail> => {
    // Read first: its state never precedes its versions.
    const report = await find(id)
    const versions = await reportVersions
      .find({ report_id: report._id }, { content: 0 })
      .sort({ n: -1 })
      .lean<ReportVersionDoc[]>()
    return presentReportDetail(report, versions, user.id)
  }
  /** Executes an action on a report and records it. */
  const recorded = <Answer>(
    call: { user: Caller; request: FastifyRequest; params: { id: string } },
    action: AuditAction,
    work: () => Promise<Answer>,
  ): Promise<Answer> =>
    service.audit.during(call, { action, subject: { kind: 'report', id: call.params.id } }, work)
  const inReview = (doc: ReportDoc) =>
    reportVersions.findOne({ report_id: doc._id, state: 'review' }).lean<ReportVersionDoc>()

  service.route(reportsApi.listReports, async ({ params, user }) => {
    const campaign_id = new Types.ObjectId(params.id)
    const shown = [{ user_id: new Types.ObjectId(user.id) }, { latest: { $ne: null } }]
    const docs = await reports.find({ campaign_id, $or: shown }).sort({ _id: 1 }).lean<ReportDoc[]>()
    return docs.map(doc => presentReport(doc, user.id))
  })
  service.route(reportsApi.createReport, async ({ params, user }) => {
    requireOn()
    return { id: await createReport(store, user.id, params.id) }
  })
  service.route(reportsApi.listReviews, async ({ user }) => {
    await requireAdmin(peers, user)
    const docs = await reports
      .find({ state: 'review' })
      .sort({ handed_in_at: 1 })
      .limit(500)
      .lean<ReportDoc[]>()
    return docs.map(doc => presentReport(doc, user.id))
  })
  service.route(reportsApi.listQuoted, ({ user }) => listQuoted(store, user.id))
  service.route(reportsApi.getReport, async ({ params, user }) => {
    await findReadable(user, params.id)
    return presentOne(user, params.id)
  })
  service.route(reportsApi.editReport, async ({ params, user, body }) => {
    requireOn()
    await editReport(store, user.id, params.id, body)
    return presentOne(user, params.id)
  })
  service.route(reportsApi.deleteReport, async ({ params, user }) => {
    await deleteReport(store, user.id, params.id)
    return DONE
  })
  service.route(reportsApi.previewReport, ({ params, user, reply }) =>
    previews(user.id, async () => {
      const doc = await findOwn(store, user.id, params.id)
      const sources = await readSources({ store, peers, users, site }, doc)
      const { selected, files } = await renderInThread(sources)
      const page = files.find(({ name }) => name === 'page.html')
      const { left_out, held_back } = selected
      const withheld = left_out.map(({ reason, kind, count }) => `${kind}-${reason}=${count}`)
      if (withheld.length > 0) reply.header('x-withheld', withheld.join(', '))
      return { html: Buffer.from(page?.bytes ?? []).toString(), left_out, held_back }
    }),
  )
  service.route(reportsApi.listCitable, ({ params, user }) =>
    evidenceReads(user.id, async () =>
      readCitable({ store, peers }, await findOwn(store, user.id, params.id), user.id),
    ),
  )
  service.route(reportsApi.decideReport, async ({ params, user, body }) => {
    await decideReport(store, user.id, params, body)
    return DONE
  })
  service.route(reportsApi.handInReport, async call => {
    const { params, user } = call
    requireOn()
    await recorded(call, 'report.handed-in', () => handInReport(store, user.id, params.id))
    return DONE
  })
  service.route(reportsApi.getReviewPage, async ({ params, user }) => {
    const doc = await findReadable(user, params.id)
    const version = await inReview(doc)
    if (!version) throw conflict(DETAILS.reportNotInReview)
    const before = await reportVersions
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
    requireOn()
    await requirePasskeyAdmin(peers, user)
    await recorded(call, 'report.approved', () => approveReport(store, user.id, params.id, body))
    return presentOne(user, params.id)
  })
  service.route(reportsApi.refuseReport, async call => {
    const { params, user, body } = call
    await requireAdmin(peers, user)
    await recorded(call, 'report.refused', () => refuseReport(store, params.id, body.why))
    return DONE
  })
  service.route(reportsApi.withdrawReport, async call => {
    const { params, user, body } = call
    const doc = await find(params.id)
    if (doc.user_id?.toHexString() !== user.id) await requireAdmin(peers, user)
    await recorded(call, 'report.withdrawn', () => withdrawReport(store, params.id, body.reason))
    return presentOne(user, params.id)
  })
  service.route(reportsApi.eraseReport, async call => {
    const { params, user, body } = call
    await requireAdmin(peers, user)
    await recorded(call, 'report.erased', () => eraseReport(store, params.id, body.n, body.law))
    return presentOne(user, params.id)
  })
  service.route(reportsApi.replyToReport, async call => {
    const { params, user, body } = call
    await requireAdmin(peers, user)
    await recorded(call, 'report.replied', () => replyToReport(store, params.id, body))
    return presentOne(user, params.id)
  })
  service.route(reportsApi.standReport, async call => {
    const { params, user } = call
    await requireAdmin(peers, user)
    await recorded(call, 'report.reinstated', () => standReport(store, params.id))
    return presentOne(user, params.id)
  })
  service.route(reportsApi.takeOut, async call => {
    const { params, user } = call
    const version = await inReview(await find(params.id))
    const owned = version?.sources.owned.filter(each => each.user === user.id) ?? []
    const ids = owned.map(each => each.id)
    const work = () => takeOut(store, params.id, ids)
    return { taken_out: ids.length > 0 ? await recorded(call, 'report.taken-out', work) : 0 }
  })
}
