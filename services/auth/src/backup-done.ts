import { BACKUP_FAULT_NAMES, type BackupFault, backupsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'

type Say = (line: string) => void

const NUMBER = /^\d{1,15}$/
const isFault = (text: string): text is BackupFault => BACKUP_FAULT_NAMES.some(name => name === text)

/** Resolves to the exit code. */
const noting = async (call: Promise<unknown>, say: Say): Promise<number> => {
  try {
    await call
    return 0
  } catch (error) {
    say(`Not noted: ${(error as Error).message}`)
    return 1
  }
}

/**
 * The operator's command after a backup by other tools: has administrators see that one was made.
 * @param args its bytes, and the seconds that it took
 * @returns the exit code
 */
export const runBackupDone = async (peers: Peers, args: string[], say: Say): Promise<number> => {
  const [bytes, seconds] = args.map(Number)
  if (args.length !== 2 || !args.every(arg => NUMBER.test(arg))) {
    say('backup-done BYTES SECONDS')
    return 2
  }
  const made_at = new Date().toISOString()
  const body = { made_at, bytes: Number(bytes), duration_ms: Number(seconds) * 1_000 }
  return noting(peers.call('auth', backupsInternal.noteBackup, { body }), say)
}

/**
 * The operator's command after a backup by other tools has failed: has administrators see it.
 * @param args why, a name of `BACKUP_FAULTS`, and the seconds that it took
 * @returns the exit code
 */
export const runBackupFailed = async (peers: Peers, args: string[], say: Say): Promise<number> => {
  const [fault = '', seconds = ''] = args
  if (args.length !== 2 || !isFault(fault) || !NUMBER.test(seconds)) {
    say(`backup-failed REASON SECONDS\nREASON: ${BACKUP_FAULT_NAMES.join(', ')}`)
    return 2
  }
  const failed_at = new Date().toISOString()
  const body = { failed_at, duration_ms: Number(seconds) * 1_000, fault }
  return noting(peers.call('auth', backupsInternal.noteFailedBackup, { body }), say)
}
