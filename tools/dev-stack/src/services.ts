import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PeersConfig } from '@iodine/service-kit'

const fileOf = (dataDir: string) => join(dataDir, 'services.json')

/** Writes the URLs and the key of the running services into the folder, for operators' commands only (mode 600). */
export const keepServices = (dataDir: string, services: PeersConfig): void => {
  forgetServices(dataDir)
  writeFileSync(fileOf(dataDir), JSON.stringify(services), { mode: 0o600, flag: 'wx' })
}

export const forgetServices = (dataDir: string): void => rmSync(fileOf(dataDir), { force: true })

/** Reads the services that run on the folder; undefined while they start. */
export const keptServices = (dataDir: string): PeersConfig | undefined => {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8'))
  } catch {
    return undefined
  }
}
