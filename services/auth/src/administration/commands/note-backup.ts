import { type Backup, type FailedBackup, LIMITS } from '@iodine/contracts'
import type { AuthContext } from '../../context.js'
import type { BackupDoc } from '../models/backup.js'

type Context = Pick<AuthContext, 'models'>

const MADE = { fault: null }
const FAILED = { fault: { $ne: null } }

/** Stores a backup and deletes the oldest ones of its kind past the limit. */
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

/** Records a completed backup. Idempotent. */
export const reportBackup = (context: Context, { made_at, ...rest }: Backup): Promise<void> =>
  note(context, { _id: new Date(made_at), ...rest }, MADE)

/** Records a failed backup, which never displaces completed ones. Idempotent. */
export const noteFailedBackup = (context: Context, { failed_at, ...rest }: FailedBackup): Promise<void> =>
  note(context, { _id: new Date(failed_at), bytes: null, ...rest }, FAILED)
