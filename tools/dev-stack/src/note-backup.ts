import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Backup, backup, backupsInternal, type FailedBackup } from '@iodine/contracts'
import { type Peers, type PeersConfig, withPeers } from '@iodine/service-kit'
import { keptServices } from './services.js'

const fileOf = (dataDir: string) => join(dataDir, 'backup-done.json')

/** Calls the running product. Resolves to whether the call succeeded. */
const tryCall = (services: PeersConfig, call: (peers: Peers) => Promise<unknown>): Promise<boolean> =>
  withPeers(services, call).then(
    () => true,
    () => false,
  )

const reportMade = (services: PeersConfig, body: Backup) =>
  tryCall(services, peers => peers.call('auth', backupsInternal.reportBackup, { body }))

/** Reports a failed backup to the product that runs on the folder. Does nothing if none responds. */
export const noteFailedBackup = async (dataDir: string, body: FailedBackup): Promise<void> => {
  const services = keptServices(dataDir)
  if (services)
    await tryCall(services, peers => peers.call('auth', backupsInternal.noteFailedBackup, { body }))
}

/** Reports a backup to the product that runs on the folder, or stores the report for the next start. */
export const reportBackup = async (dataDir: string, made: Backup): Promise<void> => {
  const services = keptServices(dataDir)
  if (services && (await reportMade(services, made))) return
  writeFileSync(fileOf(dataDir), JSON.stringify(made), { mode: 0o600 })
}

/** Delivers a backup report that was stored for this start. Deletes an unreadable one. */
export const deliverBackupReport = async (dataDir: string, services: PeersConfig): Promise<void> => {
  let made: Backup
  try {
    made = backup.parse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')))
  } catch {
    rmSync(fileOf(dataDir), { force: true })
    return
  }
  if (await reportMade(services, made)) rmSync(fileOf(dataDir), { force: true })
}
