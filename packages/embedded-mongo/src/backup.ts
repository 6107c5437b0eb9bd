import { mkdirSync } from 'node:fs'
import { open } from 'lmdb'

/**
 * Copies all data as it stands at one moment into a new folder that an engine can be started on, also while an engine
 * of another process serves it: LMDB's readers see a snapshot and hold up no writer.
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
