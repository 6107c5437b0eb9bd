import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '@iodine/dev-stack/redis'
import { startEmbeddedMongo } from '@iodine/embedded-mongo'

/** A folder of its own below the system's temporary one; `remove` deletes it with all that is in it. */
export const temporaryFolder = (): { path: string; remove(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'iodine-test-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Letters for names of databases and keys that no other test uses. */
export const uniquePrefix = () => `t${randomBytes(5).toString('hex')}`

/** A Redis of this test's own, which keeps nothing on disk. */
export const startTestRedis = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  const folder = temporaryFolder()
  const { url, stop } = await startRedis({ folder: folder.path, durable: false })
  return { url, stop: () => stop().finally(folder.remove) }
}

/** A MongoDB of this test's own: the embedded engine in this process, on a temporary folder. */
export const startTestMongo = async (): Promise<{ uri: string; stop(): Promise<void> }> => {
  const folder = temporaryFolder()
  const { uri, stop } = await startEmbeddedMongo({ dataDir: folder.path, isolate: 'none' })
  return { uri, stop: () => stop().finally(folder.remove) }
}
