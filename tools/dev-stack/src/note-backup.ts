import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Backup, backup, backupsInternal } from '@iodine/contracts'
import { type PeersConfig, withPeers } from '@iodine/service-kit'
import { keptServices } from './services.js'

const fileOf = (dataDir: string) => join(dataDir, 'backup-done.json')

const tell = (services: PeersConfig, body: Backup): Promise<boolean> =>
  withPeers(services, peers => peers.call('auth', backupsInternal.noteBackup, { body })).then(
    () => true,
    () => false,
  )

/** Tells the product that runs on the folder of a backup, or leaves word of it for the next start. */
export const noteBackup = async (dataDir: string, made: Backup): Promise<void> => {
  const services = keptServices(dataDir)
  if (services && (await tell(services, made))) return
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
  if (await tell(services, made)) rmSync(fileOf(dataDir), { force: true })
}
