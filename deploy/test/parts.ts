import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { SERVICE_NAMES } from '@iodine/contracts'
import { PARTS, type PartName } from '@iodine/dev-stack/parts'
import { ConfigError, readConfig } from '@iodine/service-kit'
import { parseAllDocuments } from 'yaml'

export const ROOT = resolve(import.meta.dirname, '../..')

/**
 * Runs deploy/new-env.mjs. Returns the file's content and mode.
 * @param before the file's content before the run
 * @throws with the command's output, if it fails
 */
export const newEnvironment = ({
  kubernetes = false,
  before,
  env = {},
}: {
  kubernetes?: boolean
  before?: string
  env?: Record<string, string>
}): { text: string; mode: number } => {
  const folder = mkdtempSync(join(tmpdir(), 'iodine-env-'))
  const file = join(folder, 'made')
  try {
    if (before !== undefined) writeFileSync(file, before, { mode: 0o600 })
    execFileSync(
      process.execPath,
      [join(ROOT, 'deploy/new-env.mjs'), ...(kubernetes ? ['--kubernetes'] : []), file],
      { encoding: 'utf8', stdio: 'pipe', env: { ...process.env, ...env } },
    )
    return { text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the faults of a part's environment: missing, invalid and unknown settings. */
export const faultsOf = (part: PartName, env: Record<string, string>): string[] => {
  const { schema } = PARTS[part]
  const unknown = Object.keys(env)
    .filter(name => !(name in schema.shape))
    .map(name => `${name}: is no setting of ${part}`)
  const peers = part === 'workers' || part === 'gateway' ? SERVICE_NAMES : []
  const missing = peers.filter(name => !env[`${name.toUpperCase()}_URL`]).map(name => `no address of ${name}`)
  try {
    // The container's folder does not exist on this machine.
    const { REMOTES_ROOT: _, ...rest } = env
    readConfig(schema, rest)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...unknown, ...missing, ...error.faults]
  }
  return [...unknown, ...missing]
}

// biome-ignore lint/suspicious/noExplicitAny: documents of every shape, whose schemas check them
export type Document = Record<string, any>

/** Parses the documents of a YAML file below the root. */
export const documents = (...path: string[]): Document[] =>
  parseAllDocuments(readFileSync(join(ROOT, ...path), 'utf8'), { merge: true }).map(document => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Document
  })
