import { BACKUP_FAULT_NAMES, type BackupFault, backupsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'

type Say = (line: string) => void

const NUMBER = /^\d{1,15}$/
const isFault = (text: string): text is BackupFault => BACKUP_FAULT_NAMES.some(name => name === text)

/** Awaits the call. Resolves to the exit code. */
const noting = async (call: Promise<unknown>, say: Say): Promise<number> => {
  try {
    await call
    return 0
  } catch (error) {
    say(`Not recorded: ${(error as Error).message}`)
    return 1
  }
}

/**
 * Runs the operator's command that reports a backup by other tools, which administrators then see.
 * @param args bytes, and duration in seconds
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
  return noting(peers.call('auth', backupsInternal.reportBackup, { body }), say)
}

/**
 * Runs the operator's command that reports a failed backup by other tools, which administrators then see.
 * @param args reason (a name of `BACKUP_FAULTS`), and duration in seconds
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
