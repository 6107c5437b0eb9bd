import { auditApi, auditInternal } from '@iodine/contracts'
import { createKeyedLimiter, done, Streamed, sendList } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { adminRoutes } from '../../sessions/policies/admin.js'
import { reportSettings } from '../commands/report-settings.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'
import { AUDIT_CSV_START, auditCsvRow, presentEntries } from '../presenters/audit.js'
import { createChainState, verifyChain } from '../queries/audit-chain.js'
import { selectEntries } from '../queries/audit-list.js'

const BATCH = 500

/** Adds the routes of the audit log: services append, administrators read. No route changes or removes an entry. */
export const addAuditRoutes = (context: AuthContext): void => {
  const { models, service, appendAudit } = context
  const route = adminRoutes(context)
  const { auditEntries } = models

  service.audit.keepLog({ append: appendAudit })
  service.reportSettingsTo(report => reportSettings(context, report))
  service.internal(auditInternal.appendAudit, async ({ body }) => done(appendAudit(body.entries)))
  service.internal(auditInternal.reportSettings, async ({ body }) => done(reportSettings(context, body)))
  service.internal(auditInternal.verifyAudit, async ({ body }) => verifyChain(models, body.head))

  route(auditApi.listAudit, async ({ query: { limit, cursor, ...filters }, reply }) => {
    const filter = await selectEntries(models, filters)
    const isAll = Object.keys(filter).length === 0
    return sendList(reply, {
      model: auditEntries,
      filter,
      limit,
      cursor,
      present: docs => presentEntries(models, docs),
      ...(isAll && { total: () => auditEntries.estimatedDocumentCount() }),
    })
  })

  const chainState = createChainState(models)
  route(auditApi.getAuditState, async () => {
    return chainState()
  })

  async function* rowsOf(filter: QueryFilter<AuditEntryDoc>): AsyncGenerator<string> {
    yield AUDIT_CSV_START
    const docs = auditEntries
      .find(filter)
      .sort({ created_at: -1, _id: -1 })
      .lean<AuditEntryDoc[]>()
      .cursor({ batchSize: BATCH })
    let rows: string[] = []
    for await (const doc of docs as AsyncIterable<AuditEntryDoc>) {
      if (rows.push(auditCsvRow(doc)) < BATCH) continue
      yield rows.join('')
      rows = []
    }
    yield rows.join('')
  }
  // A download reads the whole log: one at a time per administrator.
  const downloading = createKeyedLimiter()
  route(auditApi.exportAudit, async call => {
    return downloading(call.user.id, async () => {
      const filter = await selectEntries(models, call.query)
      const count = await auditEntries.countDocuments(filter)
      await service.audit.record(call, {
        action: 'audit.exported',
        subject: { kind: 'deployment' },
        count,
        detail: 'csv',
      })
      call.reply.header('content-disposition', 'attachment; filename="audit-log.csv"')
      return new Streamed<unknown>(rowsOf(filter), 'text/csv; charset=utf-8')
    })
  })
}
