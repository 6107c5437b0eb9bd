import { auditInternal, DONE, LIMITS, outboxInternal } from '@iodine/contracts'
import type { StoreConfig } from './config.js'
import { notFound } from './http/errors.js'
import { createOutbox, type Outbox } from './outbox/outbox.js'
import { createTasks, type Tasks } from './outbox/tasks.js'
import { createService, type Service, type ServiceDeps } from './service.js'
import { type Audit, createAudit } from './stores/audit.js'
import { type Migration, migrate } from './stores/migrations.js'
import { type Connection, connectMongo, prepareModels } from './stores/mongo.js'

export interface StoreService extends Service {
  mongo: Connection
  /** Work that a change of the data causes. */
  outbox: Outbox
  /** Recurring work. */
  tasks: Tasks
  /** Records actions for the audit log (`docs/accounts.md`). */
  audit: Audit
}

/** Poll interval of processes with `ROLE=jobs`: those with `ROLE=api` add work and cannot wake them. */
const JOBS_POLL_MS = 1_000
/** Timeout of a delivery to the audit log. */
const APPEND_MS = 5_000

/** Creates a service with its own database, `{MONGODB_PREFIX}_{name}`. */
export const createStoreService = async (
  name: string,
  config: StoreConfig,
  deps: ServiceDeps = {},
): Promise<StoreService> => {
  const database = `${config.MONGODB_PREFIX}_${name}`
  const mongo = deps.mongo?.useDb(database) ?? (await connectMongo(config.MONGODB_URI, database))
  const close = async () => {
    if (!deps.mongo) await mongo.close()
  }
  const service = await createService(name, config, deps).catch(async error => {
    await close()
    throw error
  })
  service.readyWhen(
    'mongodb',
    () => mongo.db?.command({ ping: 1 }) ?? Promise.reject(new Error('not connected')),
  )
  service.onClose(close)
  const { redis, peers, log, metrics, root } = service
  const { ROLE } = config
  const pollMs = deps.pollMs ?? (ROLE === 'jobs' ? JOBS_POLL_MS : undefined)
  const outbox = createOutbox({ mongo, log, metrics, root, skipsHeavy: ROLE === 'api', pollMs })
  const tasks = createTasks({ log, metrics, root })
  const audit = createAudit({
    mongo,
    redis,
    outbox,
    tasks,
    prefix: config.REDIS_PREFIX,
    service: name,
    log,
    to: {
      append: entries => peers.call('auth', auditInternal.appendAudit, { body: { entries }, ms: APPEND_MS }),
    },
  })
  return Object.assign(service, { mongo, outbox, tasks, audit })
}

/** Serves the permanently failed entries of the outbox to administrators. */
const serveOutbox = (service: StoreService): void => {
  const { outbox } = service
  service.internal(outboxInternal.listFailedWork, () => outbox.failed(LIMITS.failedWorkMax))
  service.internal(outboxInternal.resolveFailedEntry, async ({ params: { id }, body: { action } }) => {
    if (!(await (action === 'retry' ? outbox.retry(id) : outbox.drop(id)))) throw notFound()
    return DONE
  })
}

/** Starts the outbox and the tasks. They end before the connections that they use are closed. */
const startWork = ({ outbox, tasks, onClose }: StoreService, { ROLE }: StoreConfig): void => {
  outbox.start()
  tasks.expect()
  if (ROLE !== 'api') tasks.start()
  onClose(() => Promise.all([outbox.close(), tasks.close()]))
}

/**
 * Starts a service with its own database: `build` registers models, routes, tasks and kinds of the outbox; then migrations
 * run, the models' collections and indexes are created, the check that `build` may return runs, and the work starts. On
 * failure the service is closed, and this throws.
 */
export const startStoreService = async (
  name: string,
  config: StoreConfig,
  deps: ServiceDeps | undefined,
  build: (service: StoreService) => void | (() => Promise<void>),
  migrations: readonly Migration[] = [],
): Promise<StoreService> => {
  const service = await createStoreService(name, config, deps)
  try {
    const check = build(service)
    serveOutbox(service)
    await migrate(service.mongo, migrations, service.log)
    await prepareModels(service.mongo)
    await check?.()
    startWork(service, config)
    return service
  } catch (error) {
    await service.close()
    throw error
  }
}
