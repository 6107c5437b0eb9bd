import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BackupFault } from '@iodine/contracts'
import { backupData } from '@iodine/embedded-mongo'
import { keptRedisUrl, lockFolder, lockHolder } from '@iodine/local-servers'
import { Redis } from 'ioredis'
import { readStackConfig, type StackConfig } from './config.js'
import { noteFailedBackup, reportBackup } from './note-backup.js'
import type { Env } from './parts.js'
import { KEY_FILES } from './secrets.js'

/** A rejected backup or restore, with a message for the user of the command. */
export class BackupRefusal extends Error {
  override name = 'BackupRefusal'
  readonly fault: BackupFault
  constructor(message: string, fault: BackupFault = 'other') {
    super(message)
    this.fault = fault
  }
}

/** Written last: a folder without it is an incomplete backup. */
const MANIFEST = 'backup.json'
interface Manifest {
  made_at: string
  /** The product was running: its projections may need a rebuild. */
  running: boolean
  /** SHA-256 by path. */
  files: Record<string, string>
}

// Files that a start recreates, or that belong to one run.
const LEFT_OUT =
  /^(lock(\.\d+)?|services\.json|backup-done\.json|iodine\.log(\.old)?)$|(^|\/)(process\.json|redis\.(conf|log)|lock\.mdb|embedded-mongo\.lock.*)$/

const copyTree = (from: string, to: string): void => {
  if (!existsSync(from)) return
  cpSync(from, to, { recursive: true, filter: path => !LEFT_OUT.test(relative(from, path)) })
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(path => lstatSync(join(folder, path)).isFile())
    .sort()

const digestOf = async (file: string): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const isEmpty = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0

const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Returns the content of a key's file; undefined if it is missing. */
const contentOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

/** Name of an incompletely written blob. */
const PARTIAL = /\.[0-9a-f-]{36}$/

/** Copies the blobs of captures. A running product may erase some during the copy. */
const copyBlobs = (from: string, to: string): void => {
  for (const capture of readdirSync(from))
    try {
      for (const name of readdirSync(join(from, capture)))
        if (!PARTIAL.test(name)) {
          mkdirSync(join(to, capture), { recursive: true })
          copyFileSync(join(from, capture, name), join(to, capture, name))
        }
    } catch (error) {
      if (!isGone(error)) throw error
    }
}

const REWRITE = 'auto-aof-rewrite-percentage'

/**
 * Copies the append-only files of a running Redis, with rewrites disabled during the copy. Concurrent appends may be
 * included or not.
 */
const copyRunningRedis = async (from: string, to: string): Promise<void> => {
  const redis = new Redis(keptRedisUrl(from), { maxRetriesPerRequest: 3 })
  redis.on('error', () => {})
  try {
    const [, before = '100'] = (await redis.config('GET', REWRITE)) as string[]
    await redis.config('SET', REWRITE, '0')
    try {
      while (/aof_rewrite_in_progress:1/.test(await redis.info('persistence'))) await sleep(50)
      copyTree(from, to)
    } finally {
      await redis.config('SET', REWRITE, before)
    }
  } finally {
    redis.disconnect()
  }
}

const isWithin = (folder: string, path: string) => !relative(resolve(folder), resolve(path)).startsWith('..')

/** Classifies the failure of a backup into the folder. */
const faultOf = (error: unknown, to: string): BackupFault => {
  if (error instanceof BackupRefusal) return error.fault
  const { code = '', path } = error as NodeJS.ErrnoException
  if (['ENOSPC', 'EDQUOT'].includes(code)) return 'no-room'
  const isDenied = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(code)
  return isDenied && path !== undefined && isWithin(to, path) ? 'folder-not-writable' : 'other'
}

/**
 * Copies the DATA_DIR of a running or stopped product into a new folder: databases, queues, blobs, keys and inbox.
 * Reports the backup to administrators, and a failure only if the product runs.
 * @returns whether the report was delivered or stored for the next start
 * @throws BackupRefusal
 */
export const backup = async (env: Env, to: string): Promise<boolean> => {
  const config = readStackConfig(env)
  const dataDir = resolve(config.DATA_DIR)
  const began = Date.now()
  try {
    return await copyData(config, dataDir, to)
  } catch (error) {
    const failed_at = new Date().toISOString()
    await noteFailedBackup(dataDir, { failed_at, duration_ms: Date.now() - began, fault: faultOf(error, to) })
    throw error
  }
}

/**
 * Copies queues first: the outbox re-adds missing jobs, but jobs for documents missing in the databases would be
 * processed. Copies blobs after the database that references them.
 */
const copyData = async (
  { MONGODB_URI, REDIS_URL, BLOBS_URL = '' }: StackConfig,
  dataDir: string,
  to: string,
): Promise<boolean> => {
  const [mongo, redis, blobs] = ['embedded-mongo', 'redis', 'blobs']
  if (MONGODB_URI || REDIS_URL)
    throw new BackupRefusal(
      'MONGODB_URI or REDIS_URL is set: those servers hold the data. docs/operations.md describes their backup.',
      'data-elsewhere',
    )
  if (BLOBS_URL && !BLOBS_URL.startsWith('gridfs:'))
    throw new BackupRefusal(
      'BLOBS_URL is set: captures are stored there. docs/operations.md describes their backup.',
      'data-elsewhere',
    )
  if (!existsSync(join(dataDir, redis)))
    throw new BackupRefusal(`${dataDir} holds no data: set DATA_DIR as for npm start`)
  if (!isEmpty(to)) throw new BackupRefusal(`${to} is not empty`, 'folder-in-use')
  if (isWithin(dataDir, to))
    throw new BackupRefusal(`${to} lies within DATA_DIR: choose a folder outside of it`, 'folder-within-data')
  const running = lockHolder(dataDir) !== undefined
  if (running && !existsSync(join(dataDir, mongo)))
    throw new BackupRefusal(
      'The data is in a running mongod: stop the product first, or use mongodump (docs/operations.md).',
      'data-elsewhere',
    )
  const began = Date.now()
  const unlock = running ? () => {} : await lockFolder(dataDir)
  try {
    const names = Object.values(KEY_FILES)
    const keys = names.map(name => contentOf(join(dataDir, name)))
    mkdirSync(to, { recursive: true, mode: 0o700 })
    if (running) await copyRunningRedis(join(dataDir, redis), join(to, redis))
    else copyTree(join(dataDir, redis), join(to, redis))
    if (existsSync(join(dataDir, mongo))) await backupData(join(dataDir, mongo), join(to, mongo))
    for (const name of readdirSync(dataDir))
      if (![mongo, redis, blobs].includes(name) && !LEFT_OUT.test(name))
        copyTree(join(dataDir, name), join(to, name))
    if (existsSync(join(dataDir, blobs))) copyBlobs(join(dataDir, blobs), join(to, blobs))
    // The copied databases may need a key that was replaced during the copy.
    if (names.some((name, n) => contentOf(join(to, name)) !== keys[n]))
      throw new BackupRefusal('Keys were replaced during the backup: try again', 'keys-exchanged')
    const files: Manifest['files'] = {}
    for (const path of filesBelow(to)) files[path] = await digestOf(join(to, path))
    const made_at = new Date().toISOString()
    const manifest: Manifest = { made_at, running, files }
    const bytes = Object.keys(files).reduce((sum, path) => sum + lstatSync(join(to, path)).size, 0)
    writeFileSync(join(to, MANIFEST), JSON.stringify(manifest, null, 2), { mode: 0o600 })
    const reported = reportBackup(dataDir, { made_at, bytes, duration_ms: Date.now() - began })
    // The backup is complete even if its report fails.
    return await reported.then(
      () => true,
      () => false,
    )
  } catch (error) {
    rmSync(to, { recursive: true, force: true })
    throw error
  } finally {
    unlock()
  }
}

/**
 * Fills an empty or absent DATA_DIR from a backup whose files all match their checksums.
 * @returns whether the backup is of a running product
 * @throws BackupRefusal without copying any file
 */
export const restore = async (env: Env, from: string): Promise<{ running: boolean; madeAt: string }> => {
  const dataDir = resolve(readStackConfig(env).DATA_DIR)
  if (!isEmpty(dataDir))
    throw new BackupRefusal(`DATA_DIR ${dataDir} is not empty: move it away, or restore into another`)
  if (!existsSync(join(from, MANIFEST)))
    throw new BackupRefusal(`${from} is not a complete backup: it has no ${MANIFEST}`)
  const manifest: Manifest = JSON.parse(readFileSync(join(from, MANIFEST), 'utf8'))
  const damaged: string[] = []
  for (const [path, digest] of Object.entries(manifest.files))
    if (!existsSync(join(from, path)) || (await digestOf(join(from, path))) !== digest) damaged.push(path)
  if (damaged.length > 0) throw new BackupRefusal(`The backup is damaged: ${damaged.join(', ')}`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  try {
    for (const path of Object.keys(manifest.files)) cpSync(join(from, path), join(dataDir, path))
  } catch (error) {
    for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true, force: true })
    throw error
  }
  return { running: manifest.running, madeAt: manifest.made_at }
}
