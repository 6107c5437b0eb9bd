import { randomBytes } from 'node:crypto'
import { openSync, renameSync, statSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startInbox } from '@iodine/inbox'
import {
  freePorts,
  isLoopback,
  localUrl,
  lockFolder,
  portFault,
  type RedisServer,
  startRedis,
} from '@iodine/local-servers'
import { RULES_MODEL, startOfflineAi } from '@iodine/offline-ai'
import {
  ConfigError,
  connectMongo,
  createLogger,
  newSecretsKey,
  newSigningKey,
  type PeersConfig,
  withPeers,
} from '@iodine/service-kit'
import { readStackConfig, type StackConfig } from './config.js'
import { type Database, startMongo } from './mongo.js'
import { deliverBackupReport } from './note-backup.js'
import {
  byPart,
  type Env,
  PART_NAMES,
  type PartName,
  preparedParts,
  restartable,
  type StackPart,
} from './parts.js'
import { restartOnExit } from './restart-on-exit.js'
import { dropKeys, KEY_FILES, keptSecret } from './secrets.js'
import { forgetServices, keepServices } from './services.js'

/** Default prefix of database names and Redis keys. */
export const DEFAULT_PREFIX = 'iodine'

/** Settings of a demo, which publishes a report. */
const DEMO_REPORTS = {
  REPORTS: 'reviewed',
  REPORTS_CONTACT: 'contact@iodine.local',
  REPORTS_LEGAL_NOTICE: 'A demo with invented content, published by nobody.',
}

export interface Stack {
  /** URL of the gateway, which serves the app and its API. */
  url: string
  /** URL of the embedded inbox; absent if mail goes to an SMTP_URL. */
  inboxUrl: string | undefined
  adminEmails: string[]
  /** Whether the offline provider analyzes texts. */
  offlineAi: boolean
  /** Absolute path of DATA_DIR. */
  dataDir: string
  /** The database: one of the embedded defaults, or a given server. */
  database: Database['kind'] | 'given'
  parts: Record<PartName, StackPart>
  /** Stops the parts, then their servers, and unlocks DATA_DIR. Is idempotent. */
  stop(): Promise<void>
}

export interface StackOptions {
  /** The contract's environment variables, and further ones that the parts read. */
  env: Env
  /** Prefix of database names and Redis keys, so that stacks can share servers. */
  prefix?: string
  /** Analyzes texts with the offline provider unless OPENAI_BASE_URL is set. */
  demo?: boolean
  /** Receives progress messages, one line each. */
  progress?: (line: string) => void
}

/** Registers a started server to be stopped. */
type Keep = <T extends { stop(): unknown }>(starting: Promise<T>) => Promise<T>

/** Starts the embedded databases, the inbox and the offline provider, unless they are given. */
const startServers = (
  config: StackConfig,
  dataDir: string,
  demo: boolean,
  keep: Keep,
  progress: (line: string) => void,
) =>
  all([
    config.MONGODB_URI
      ? { kind: 'given' as const, uri: config.MONGODB_URI }
      : keep(restartOnExit<Database>('The database', before => startMongo(dataDir, before), progress)),
    config.REDIS_URL
      ? { url: config.REDIS_URL }
      : keep(
          restartOnExit<RedisServer>(
            'Redis',
            before => startRedis({ folder: join(dataDir, 'redis'), at: before?.url }),
            progress,
          ),
        ),
    config.SMTP_URL
      ? { port: undefined, smtpUrl: config.SMTP_URL }
      : keep(
          startInbox({ folder: join(dataDir, 'inbox'), host: config.INBOX_HOST, port: config.INBOX_PORT }),
        ),
    demo && !config.OPENAI_BASE_URL ? keep(startOfflineAi()) : undefined,
  ])

/** Returns the environment of each part. The data folder stores the keys and the blobs, unless they are given. */
const environmentsOf = (
  env: Env,
  prefix: string,
  config: StackConfig,
  dataDir: string,
  [mongo, redis, inbox, offlineAi]: Awaited<ReturnType<typeof startServers>>,
  services: Record<string, string>,
  addresses: Awaited<ReturnType<typeof addressesOf>>,
  demo: boolean,
): Record<PartName, Env> => {
  const shared: Env = {
    ...(demo && DEMO_REPORTS),
    ...env,
    ADMIN_EMAILS: config.ADMIN_EMAILS.join(','),
    ADMIN_PASSKEYS: config.ADMIN_PASSKEYS,
    PUBLIC_URL: config.PUBLIC_URL ?? services.GATEWAY_URL,
    MONGODB_URI: mongo.uri,
    MONGODB_PREFIX: prefix,
    REDIS_URL: redis.url,
    REDIS_PREFIX: prefix,
    SMTP_URL: inbox.smtpUrl,
    ...services,
    ...(offlineAi && { OPENAI_BASE_URL: offlineAi.url, OPENAI_MODEL: RULES_MODEL, OFFLINE_AI: 'true' }),
    SECRETS_KEY: config.SECRETS_KEY ?? keptSecret(join(dataDir, KEY_FILES.SECRETS_KEY), newSecretsKey),
    JWT_PRIVATE_KEY:
      config.JWT_PRIVATE_KEY ?? keptSecret(join(dataDir, KEY_FILES.JWT_PRIVATE_KEY), newSigningKey),
    SEAL_PRIVATE_KEY: config.SEAL_PRIVATE_KEY ?? keptSecret(join(dataDir, 'seal-private-key'), newSigningKey),
    BLOBS_URL: config.BLOBS_URL ?? pathToFileURL(join(dataDir, 'blobs')).href,
  }
  return byPart(name => ({
    ...shared,
    HOST: addresses[name].host,
    PORT: String(addresses[name].port),
  }))
}

/** Returns the address of each part: free ports of the loopback address, except for the gateway. */
const addressesOf = async (config: StackConfig) => {
  const ports = await freePorts(PART_NAMES.length)
  return byPart(name => {
    const host = name === 'gateway' ? config.HOST : '127.0.0.1'
    const port = (name === 'gateway' && config.PORT) || (ports.pop() as number)
    return { host, port, url: localUrl(host, port) }
  })
}

/** Finishes the start: notes the services for other commands, delivers the backup's report, and removes old keys. */
const finishStart = async (
  dataDir: string,
  config: StackConfig,
  services: PeersConfig,
  progress: (line: string) => void,
): Promise<void> => {
  keepServices(dataDir, services)
  await deliverBackupReport(dataDir, services)
  await withPeers(services, peers => dropKeys(dataDir, config, peers))
    .then(lines => lines.forEach(progress))
    // Unneeded keys stay until the next start.
    .catch(error => progress(`Unneeded keys could not be determined: ${error.message}`))
}

/**
 * Starts the whole product in this process: embedded databases and inbox unless given, then every service, the workers
 * and the gateway, each on its own loopback port. Resolves when the gateway is ready.
 * @throws ConfigError with all faults of the environment; Error with the name of a part that did not start
 */
export const startStack = async ({
  env,
  prefix = DEFAULT_PREFIX,
  demo = false,
  progress = () => {},
}: StackOptions): Promise<Stack> => {
  const config = readStackConfig(env)
  const dataDir = resolve(config.DATA_DIR)
  const started: (() => unknown)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= (async () => {
      for (const undo of started.reverse()) await undo()
    })()
    return stopping
  }
  const keep: Keep = async starting => {
    const server = await starting
    started.push(() => server.stop())
    return server
  }

  try {
    started.push(await lockFolder(dataDir))
    await checkPorts(config)
    progress('Starting databases …')
    const servers = await startServers(config, dataDir, demo, keep, progress)
    const [mongo, , inbox, offlineAi] = servers
    const inboxUrl = inbox.port && localUrl(config.INBOX_HOST, inbox.port)
    if (inboxUrl && !isLoopback(config.INBOX_HOST))
      progress(
        `Warning: the inbox listens on ${config.INBOX_HOST} (INBOX_HOST). Anyone with access to ${inboxUrl} can read every sign-in link, including those of administrators.`,
      )
    progress('Starting services …')
    const addresses = await addressesOf(config)
    const { url } = addresses.gateway
    const services = {
      SERVICE_KEY: randomBytes(24).toString('base64url'),
      ...Object.fromEntries(PART_NAMES.map(name => [`${name.toUpperCase()}_URL`, addresses[name].url])),
    }
    const envs = environmentsOf(env, prefix, config, dataDir, servers, services, addresses, demo)
    const creators = preparedParts(envs)
    const log = logFile(join(dataDir, 'iodine.log'))
    const connection = await connectMongo(mongo.uri, prefix, POOL_SIZE)
    started.push(() => connection.close())
    const parts = byPart(name =>
      restartable(addresses[name].url, envs[name], () =>
        creators[name]({ logger: createLogger(name, config.LOG_LEVEL, log), mongo: connection }),
      ),
    )
    const { gateway, ...behind } = parts
    started.push(() => Promise.all(Object.values(behind).map(part => part.stop())))
    // Stopped first: the gateway must accept no requests while the services behind it stop.
    started.push(() => gateway.stop())
    if (config.RATE_LIMITS === 'off') {
      progress('Rate limits are off (RATE_LIMITS)')
      createLogger('dev-stack', config.LOG_LEVEL, log).warn('rate limits are off')
    }
    await all(PART_NAMES.map(name => parts[name].start()))
    await untilReady(url)
    started.push(() => forgetServices(dataDir))
    await finishStart(dataDir, config, services, progress)
    return {
      url,
      inboxUrl: inboxUrl || undefined,
      adminEmails: config.ADMIN_EMAILS,
      offlineAi: offlineAi !== undefined,
      dataDir,
      database: mongo.kind,
      parts,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Works like Promise.all, but waits until all have settled, so that every started part is known and can be stopped. */
const all = async <const T extends readonly unknown[]>(work: T) => {
  await Promise.allSettled(work)
  return Promise.all(work)
}

const checkPorts = async ({
  PORT,
  INBOX_PORT,
  METRICS_PORT = 0,
  SMTP_URL,
  HOST,
  INBOX_HOST,
}: StackConfig): Promise<void> => {
  const wanted = { PORT, METRICS_PORT, ...(!SMTP_URL && { INBOX_PORT }) }
  const faults = await Promise.all(
    Object.entries(wanted).map(async ([name, port]) => {
      const host = name === 'INBOX_PORT' ? INBOX_HOST : HOST
      const fault = port && (await portFault(port, host))
      if (!fault) return []
      const reason = fault === 'EADDRINUSE' ? 'is in use by another program' : `cannot be used (${fault})`
      return `${name}: port ${port} on ${host} ${reason}; choose another, or 0 for any free one`
    }),
  )
  if (PORT && PORT === wanted.INBOX_PORT) faults.push('INBOX_PORT: must differ from PORT')
  if (METRICS_PORT && [PORT, wanted.INBOX_PORT].includes(METRICS_PORT))
    faults.push('METRICS_PORT: must differ from PORT and INBOX_PORT')
  if (faults.flat().length > 0) throw new ConfigError(faults.flat())
}

/** Maximum concurrent database operations of all services. */
const POOL_SIZE = 100
const LOG_BYTES = 20 * 1024 * 1024

/** Opens a log file for appending. Rotates a large file at the next start, and keeps one old file. */
const logFile = (path: string): { write(line: string): void } => {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES) renameSync(path, `${path}.old`)
  const file = openSync(path, 'a', 0o600)
  return { write: line => void writeSync(file, line) }
}

/** Polls the gateway until every service is ready. */
const untilReady = async (url: string): Promise<void> => {
  let last = 'no response'
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(50)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    if (answer) last = await answer.text()
  }
  throw new Error(`The services did not become ready within a minute: ${last}`)
}
