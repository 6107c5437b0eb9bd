import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { isUnneeded, keysOf, readKeyStates, settingOf, shortOf } from '@iodine/auth'
import { KEY_SETTINGS, type KeySetting } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { StackConfig } from './config.js'

/** Returns the content of a secret's file (mode 600), created by `generate` if missing. */
export function keptSecret(file: string, generate: () => string): string {
  if (!existsSync(file)) writeFileSync(file, generate(), { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8')
}

/** Files in DATA_DIR of the replaceable keys. */
export const KEY_FILES: Record<KeySetting, string> = {
  JWT_PRIVATE_KEY: 'jwt-private-key',
  SECRETS_KEY: 'secrets-key',
}

/** Replaces a secret's file (mode 600) atomically. */
export const replaceSecret = (file: string, content: string): void => {
  const draft = `${file}.new`
  const opened = openSync(draft, 'w', 0o600)
  try {
    writeSync(opened, content)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(draft, file)
}

/** Removes unneeded keys from the files in DATA_DIR, effective at the next start. @returns a line for each of them */
export const dropKeys = async (dataDir: string, config: StackConfig, peers: Peers): Promise<string[]> => {
  const lines: string[] = []
  for (const setting of KEY_SETTINGS) {
    if (config[setting] !== undefined) continue
    const file = join(dataDir, KEY_FILES[setting])
    const keys = await keysOf(setting, readFileSync(file, 'utf8').trim())
    if (keys.length < 2) continue
    const known = await readKeyStates(peers)
    const out = known.filter(key => key.setting === setting && isUnneeded(key))
    const kept = keys.filter(({ id }) => out.every(key => key.id !== id))
    if (kept.length === keys.length) continue
    replaceSecret(file, settingOf(setting, kept))
    for (const { id } of out) lines.push(`${setting}: ${shortOf(id)} is removed: it is not needed`)
  }
  return lines
}
