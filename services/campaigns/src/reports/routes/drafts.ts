import { DONE, reportsApi } from '@iodine/contracts'
import { createKeyedLimiter, type StoreService } from '@iodine/service-kit'
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
import { recorded } from '../commands/recorded.js'
import type { ReportDoc } from '../models/report.js'
import { requireReports, siteOf } from '../policies/site.js'
import { presentReport } from '../presenters/report.js'
import { findOwn } from '../queries/find-report.js'
import { findReadable, readDetail } from '../queries/report-detail.js'
import { readCitable, readSources } from '../queries/sources.js'
import { renderInThread } from '../thread/render.js'

/** Adds the routes of drafts, for their authors. */
export const addDraftRoutes = (service: StoreService, store: Store, config: CampaignsConfig): void => {
  const { peers, users } = service
  const site = siteOf(config)
  /** A preview reads all IODs and evidence of a campaign: one at a time for each user. */
  const previews = createKeyedLimiter()
  const evidenceReads = createKeyedLimiter()

  service.route(reportsApi.listReports, async ({ params, user }) => {
    const campaign_id = new Types.ObjectId(params.id)
    const shown = [{ user_id: new Types.ObjectId(user.id) }, { latest: { $ne: null } }]
    const docs = await store.reports.find({ campaign_id, $or: shown }).sort({ _id: 1 }).lean<ReportDoc[]>()
    return docs.map(doc => presentReport(doc, user.id))
  })
  service.route(reportsApi.createReport, async ({ params, user }) => {
    requireReports(config)
    return { id: await createReport(store, user.id, params.id) }
  })
  service.route(reportsApi.getReport, async ({ params, user }) => {
    await findReadable(store, peers, user, params.id)
    return readDetail(store, user.id, params.id)
  })
  service.route(reportsApi.editReport, async ({ params, user, body }) => {
    requireReports(config)
    await editReport(store, user.id, params.id, body)
    return readDetail(store, user.id, params.id)
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
    requireReports(config)
    await recorded(service, call, 'report.handed-in', () => handInReport(store, user.id, params.id))
    return DONE
  })
}
