import { backupsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'

/**
 * The operator's command after a backup by other tools: has administrators see that one was made.
 * @param args its bytes, and the seconds that it took
 * @returns the exit code
 */
export const runBackupDone = async (
  peers: Peers,
  args: string[],
  { say }: { say(line: string): void },
): Promise<number> => {
  const [bytes, seconds] = args.map(Number)
  if (args.length !== 2 || !args.every(arg => /^\d{1,15}$/.test(arg))) {
    say('backup-done BYTES SECONDS')
    return 2
  }
  try {
    const made_at = new Date().toISOString()
    const body = { made_at, bytes: Number(bytes), duration_ms: Number(seconds) * 1_000 }
    await peers.call('auth', backupsInternal.noteBackup, { body })
    return 0
  } catch (error) {
    say(`Not noted: ${(error as Error).message}`)
    return 1
  }
}
