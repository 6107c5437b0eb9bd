import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Content of a secret's file (mode 600), created by `generate` if missing. */
export function keptSecret(file: string, generate: () => string): string {
  if (!existsSync(file)) writeFileSync(file, generate(), { mode: 0o600, flag: 'wx' })
  return readFileSync(file, 'utf8')
}
