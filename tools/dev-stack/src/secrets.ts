import { readFileSync, writeFileSync } from 'node:fs'

/** Content of a secret's file (mode 600), made once by `generate` when there is none. */
export function keptSecret(file: string, generate: () => string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secret = generate()
  writeFileSync(file, secret, { mode: 0o600, flag: 'wx' })
  return secret
}
