import {
  backupsInternal,
  everyMs,
  outboxInternal,
  QUEUES,
  type QueueName,
  SERVICE_NAMES,
  systemApi,
} from '@iodine/contracts'
import { addressOf, done, notFound } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { adminRoutes } from '../../sessions/policies/admin.js'
import { noteFailedBackup, reportBackup } from '../commands/note-backup.js'
import type { BackupDoc } from '../models/backup.js'
import { readParts } from '../queries/parts.js'

/** Adds the routes by which administrators see parts, queues, failed work and backups. */
export const addSystemRoutes = (context: AuthContext): void => {
  const { config, models, service } = context
  const route = adminRoutes(context)

  route(systemApi.listParts, async () => {
    return readParts(config)
  })

  route(systemApi.listFailedWork, async () => {
    const names = SERVICE_NAMES.filter(name => addressOf(config, name))
    const lists = await Promise.all(
      names.map(async name => {
        const failed = await service.peers.call(name, outboxInternal.listFailedWork).catch(() => [])
        return failed.map(work => ({ ...work, service: name }))
      }),
    )
    return lists.flat().sort((a, b) => (a.failed_at < b.failed_at ? 1 : -1))
  })

  route(systemApi.resolveFailedEntry, async call => {
    const { service: of, id } = call.params
    const name = SERVICE_NAMES.find(each => each === of && addressOf(config, each))
    if (!name) throw notFound()
    const action = call.body.action === 'retry' ? 'work.retried' : 'work.dropped'
    const what = { action, subject: { kind: 'deployment' }, item: id } as const
    return service.audit.during(call, what, () =>
      service.peers.call(name, outboxInternal.resolveFailedEntry, { params: { id }, body: call.body }),
    )
  })

  service.internal(backupsInternal.reportBackup, async ({ body }) => {
    const what = { action: 'backup.made', subject: { kind: 'deployment' } } as const
    return done(service.audit.during('operator', what, () => reportBackup(context, body)))
  })

  // No entry in the audit log: a failed backup affects no data.
  service.internal(backupsInternal.noteFailedBackup, ({ body }) => done(noteFailedBackup(context, body)))

  route(systemApi.listBackups, async () => {
    const backups = await models.backups.find().sort({ _id: -1 }).lean<BackupDoc[]>()
    return backups.map(({ _id, bytes, duration_ms, fault = null }) => ({
      ended_at: _id.toISOString(),
      duration_ms,
      bytes,
      fault,
    }))
  })

  route(systemApi.listQueues, async () => {
    const [states, failures] = await Promise.all([service.queues.states(), service.queues.failures()])
    return (Object.keys(QUEUES) as QueueName[]).map(name => {
      const { waiting = 0, active = 0, delayed = 0, failed = 0 } = states[name]?.jobs ?? {}
      return {
        name,
        jobs: states[name] ? { waiting, active, delayed, failed } : null,
        oldest_seconds: states[name]?.oldestSeconds ?? 0,
        every_ms: everyMs(name) ?? null,
        last_failure: failures[name] ?? null,
      }
    })
  })
}
