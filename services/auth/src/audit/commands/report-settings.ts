import { createHmac, randomBytes } from 'node:crypto'
import type { auditInternal, BodyOf, SettingChange } from '@iodine/contracts'
import { ignoreDuplicateKey, newAuditEntry } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { derivedId } from '../../derived-id.js'
import type { AuthModels } from '../../models.js'
import type { FingerprintKeyDoc, PartSettingsDoc } from '../models/audit-state.js'

type Name = SettingChange['name']

/** Reads the key, which is created at first use. Not derived from a secret of the deployment: it outlives rotations. */
const readKey = async ({ fingerprintKeys }: AuthModels): Promise<Buffer> => {
  const find = () => fingerprintKeys.findById('key').lean<FingerprintKeyDoc>()
  if (!(await find()))
    await fingerprintKeys
      .create({ _id: 'key', key: randomBytes(32).toString('base64') })
      .catch(ignoreDuplicateKey)
  return Buffer.from((await find())?.key ?? '', 'base64')
}

const changesOf = (
  before: PartSettingsDoc['settings'],
  after: PartSettingsDoc['settings'],
): SettingChange[] => {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort() as Name[]
  return names.flatMap((name): SettingChange | [] => {
    const [was, is] = [before[name], after[name]]
    if (was === is) return []
    if (is === undefined) return { name, change: 'unset', fingerprint: null }
    return { name, change: was === undefined ? 'set' : 'changed', fingerprint: is }
  })
}

/**
 * Compares the settings of a part with those of its last start. Records the names and fingerprints of those that differ
 * in the audit log. Duplicate reports, also from several replicas, create one entry.
 */
export const reportSettings = async (
  { models, appendAudit }: Pick<AuthContext, 'models' | 'appendAudit'>,
  { part, settings }: BodyOf<typeof auditInternal.reportSettings>,
): Promise<void> => {
  const key = await readKey(models)
  const fingerprint = (name: string, digest: string) =>
    createHmac('sha256', key).update(`${name} ${digest}`).digest('hex').slice(0, 16)
  const after = Object.fromEntries(
    settings.map(({ name, digest }) => [name, digest === null ? null : fingerprint(name, digest)]),
  )
  const known = await models.partSettings.findById(part).lean<PartSettingsDoc>()
  const rev = known?.rev ?? 0
  const changes = changesOf(known?.settings ?? {}, after)
  if (changes.length === 0) return
  const what = {
    action: 'settings.started',
    subject: { kind: 'deployment' },
    count: changes.length,
  } as const
  const id = derivedId('settings.started', part, rev, changes)
  await appendAudit([{ ...newAuditEntry('system', what), id, settings: changes }])
  await models.partSettings
    .updateOne({ _id: part, rev }, { $set: { rev: rev + 1, settings: after } }, { upsert: true })
    // Another replica has stored it already.
    .catch(ignoreDuplicateKey)
}
