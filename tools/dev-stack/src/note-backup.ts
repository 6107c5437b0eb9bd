import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Backup, backup, backupsInternal, type FailedBackup } from '@iodine/contracts'
import { type Peers, type PeersConfig, withPeers } from '@iodine/service-kit'
import { keptServices } from './services.js'

const fileOf = (dataDir: string) => join(dataDir, 'backup-done.json')

/** Resolves to whether the product took it. */
const tell = (services: PeersConfig, call: (peers: Peers) => Promise<unknown>): Promise<boolean> =>
  withPeers(services, call).then(
    () => true,
    () => false,
  )

const tellMade = (services: PeersConfig, body: Backup) =>
  tell(services, peers => peers.call('auth', backupsInternal.noteBackup, { body }))

/** Tells the product that runs on the folder that a backup of it has failed. Where none answers, nobody is told. */
export const noteFailedBackup = async (dataDir: string, body: FailedBackup): Promise<void> => {
  const services = keptServices(dataDir)
  if (services) await tell(services, peers => peers.call('auth', backupsInternal.noteFailedBackup, { body }))
}

/** Tells the product that runs on the folder of a backup, or leaves word of it for the next start. */
export const noteBackup = async (dataDir: string, made: Backup): Promise<void> => {
  const services = keptServices(dataDir)
  if (services && (await tellMade(services, made))) return
  writeFileSync(fileOf(dataDir), JSON.stringify(made), { mode: 0o600 })
}

/** Hands over what was left for this start. An unreadable note is dropped. */
export const handOverBackup = async (dataDir: string, services: PeersConfig): Promise<void> => {
  let made: Backup
  try {
    made = backup.parse(JSON.parse(readFileSync(fileOf(dataDir), 'utf8')))
  } catch {
    rmSync(fileOf(dataDir), { force: true })
    return
  }
  if (await tellMade(services, made)) rmSync(fileOf(dataDir), { force: true })
}
