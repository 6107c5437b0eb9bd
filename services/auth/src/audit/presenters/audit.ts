import type { AuditEntry, AuditItem } from '@iodine/contracts'
import { type Cell, CSV_START, csvRow } from '@iodine/exchange/spreadsheet'
import type { UserDoc } from '../../accounts/models/user.js'
import type { AuthModels } from '../../models.js'
import type { AuditEntryDoc } from '../models/audit-entry.js'

const accountsIn = ({ entry: { actor, subject } }: AuditEntryDoc): string[] =>
  [actor.kind === 'user' ? actor.id : null, subject.kind === 'account' ? subject.id : null].flatMap(
    id => id ?? [],
  )

/** Returns entries with the present usernames of their accounts, which the log does not store. */
export const presentEntries = async (
  { users }: Pick<AuthModels, 'users'>,
  docs: AuditEntryDoc[],
): Promise<AuditItem[]> => {
  const found = await users
    .find({ _id: { $in: [...new Set(docs.flatMap(accountsIn))] }, deleted_at: null })
    .select('username')
    .lean<UserDoc[]>()
  const names = new Map(found.map(({ _id, username }) => [_id.toHexString(), username]))
  const account = (isOne: boolean, id: string | null) =>
    isOne && id !== null ? { username: names.get(id) ?? null, deleted: !names.has(id) } : null
  return docs.map(({ seq, prev, hash, entry }) => ({
    ...entry,
    seq,
    prev,
    hash,
    actor_account: account(entry.actor.kind === 'user', entry.actor.id),
    subject_account: account(entry.subject.kind === 'account', entry.subject.id),
  }))
}

const COLUMNS: readonly (readonly [string, (doc: AuditEntryDoc) => Cell])[] = [
  ['seq', ({ seq }) => seq],
  ['id', ({ entry }) => entry.id],
  ['at', ({ entry }) => entry.at],
  ['action', ({ entry }) => entry.action],
  ['outcome', ({ entry }) => entry.outcome],
  ['actor_kind', ({ entry }) => entry.actor.kind],
  ['actor_id', ({ entry }) => entry.actor.id],
  ['via', ({ entry }) => entry.via],
  ['network', ({ entry }) => entry.network],
  ['subject_kind', ({ entry }) => entry.subject.kind],
  ['subject_id', ({ entry }) => entry.subject.id],
  ['item', ({ entry }) => entry.item],
  ['count', ({ entry }) => entry.count],
  ['times', ({ entry }) => entry.times],
  ['detail', ({ entry }) => entry.detail],
  ['request_id', ({ entry }) => entry.request_id],
  ['settings', ({ entry }) => entry.settings?.map(settingCell).join(' ')],
  ['checkpoint_seq', ({ entry }) => entry.checkpoint?.seq],
  ['checkpoint_hash', ({ entry }) => entry.checkpoint?.hash],
  ['prev', ({ prev }) => prev],
  ['hash', ({ hash }) => hash],
]

const settingCell = ({ name, change, fingerprint }: NonNullable<AuditEntry['settings']>[number]) =>
  [name, change, fingerprint ?? ''].join(':')

/** Header row of the log as CSV. */
export const AUDIT_CSV_START = CSV_START + csvRow(COLUMNS.map(([name]) => name))

/** Returns an entry as a row of CSV. */
export const auditCsvRow = (doc: AuditEntryDoc): string => csvRow(COLUMNS.map(([, cell]) => cell(doc)))
