import { mkdirSync } from 'node:fs'
import { open } from 'lmdb'

/**
 * Copies a consistent snapshot of the data into a new folder, on which an engine can start. Another process's
 * engine may be serving the data: LMDB's readers see a snapshot and block no writer.
 */
export const backupData = async (dataDir: string, to: string): Promise<void> => {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const store = open({ path: dataDir, readOnly: true })
  try {
    await store.backup(to, true)
  } finally {
    await store.close()
  }
}
