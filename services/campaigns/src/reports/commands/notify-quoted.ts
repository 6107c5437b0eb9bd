import { type KindSpec, PEER_BACKOFF_MAX_MS, type Peers, publishToWatchers } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { type QuotedUsers, quotedUsers } from '../models/quoted-users.js'
import type { ReportDoc, ReportVersionDoc } from '../models/report.js'

/** Returns the outbox kind that notifies users whose content is in a version in review. */
export const quotesWork = (of: () => { store: Store; peers: Peers }): KindSpec<QuotedUsers> => ({
  payload: quotedUsers,
  keyOf: ({ id, users }) => `${id} ${users[0]}`,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  async handle([entry]) {
    const { store, peers } = of()
    const version = await store.reportVersions
      .findOne({ _id: entry?.id, state: 'review' }, { report_id: 1, approvable_at: 1, made_at: 1 })
      .lean<ReportVersionDoc>()
    const report = version && (await store.reports.findById(version.report_id).lean<ReportDoc>())
    if (!report || !entry) return
    const event = {
      type: 'report.quoted',
      id: report._id.toHexString(),
      title: report.draft.title,
      user_id: report.user_id?.toHexString() ?? null,
      until: version.approvable_at.toISOString(),
      tlp: 'clear',
      at: version.made_at.toISOString(),
    } as const
    await publishToWatchers(
      peers,
      entry.users.map(quoted => ({ ...event, quoted })),
    )
  },
})
