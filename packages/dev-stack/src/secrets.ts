import { readFileSync, writeFileSync } from 'node:fs'

/** Content of a secret's file (mode 600), made once by `generate` when there is none. */
export async function keptSecret(file: string, generate: () => string | Promise<string>): Promise<string> {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secret = await generate()
  writeFileSync(file, secret, { mode: 0o600, flag: 'wx' })
  return secret
}
