import { type Backup, type FailedBackup, LIMITS } from '@iodine/contracts'
import type { AuthContext } from '../../context.js'
import type { BackupDoc } from '../models/backup.js'

type Context = Pick<AuthContext, 'models'>

const MADE = { fault: null }
const FAILED = { fault: { $ne: null } }

/** Stores a backup, and forgets the oldest of its kind beyond those that are kept. */
const note = async (
  { models: { backups } }: Context,
  { _id, ...doc }: BackupDoc,
  kind: object,
): Promise<void> => {
  await backups.replaceOne({ _id }, doc, { upsert: true })
  const [oldest] = await backups
    .find(kind)
    .sort({ _id: -1 })
    .skip(LIMITS.backupsKept - 1)
    .limit(1)
    .lean<BackupDoc[]>()
  if (oldest) await backups.deleteMany({ ...kind, _id: { $lt: oldest._id } })
}

/** Notes a backup that was made. Idempotent. */
export const noteBackup = (context: Context, { made_at, ...rest }: Backup): Promise<void> =>
  note(context, { _id: new Date(made_at), ...rest }, MADE)

/** Notes a backup that failed. However many fail, those that were made stay known. Idempotent. */
export const noteFailedBackup = (context: Context, { failed_at, ...rest }: FailedBackup): Promise<void> =>
  note(context, { _id: new Date(failed_at), bytes: null, ...rest }, FAILED)
