import { type Backup, LIMITS } from '@iodine/contracts'
import type { AuthContext } from '../context.js'
import type { BackupDoc } from '../models/backup.js'

/** Notes a backup, and forgets the oldest beyond those that are kept. Idempotent. */
export const noteBackup = async (
  { models: { backups } }: Pick<AuthContext, 'models'>,
  { made_at, bytes, duration_ms }: Backup,
): Promise<void> => {
  const _id = new Date(made_at)
  await backups.updateOne({ _id }, { $set: { bytes, duration_ms } }, { upsert: true })
  const [oldest] = await backups
    .find()
    .sort({ _id: -1 })
    .skip(LIMITS.backupsKept - 1)
    .limit(1)
    .lean<BackupDoc[]>()
  if (oldest) await backups.deleteMany({ _id: { $lt: oldest._id } })
}
