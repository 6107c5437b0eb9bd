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
 * What deploy/new-env.mjs writes into a file, and that file's mode.
 * @param before what the file holds already
 * @throws with what the command said, where it refuses
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

/** What is wrong with a part's environment: settings that it needs and hasn't, faulty ones, and those that it doesn't know. */
export const faultsOf = (part: PartName, env: Record<string, string>): string[] => {
  const { schema } = PARTS[part]
  const unknown = Object.keys(env)
    .filter(name => !(name in schema.shape))
    .map(name => `${name}: is no setting of ${part}`)
  const peers = part === 'workers' || part === 'gateway' ? SERVICE_NAMES : []
  const missing = peers.filter(name => !env[`${name.toUpperCase()}_URL`]).map(name => `no address of ${name}`)
  try {
    // The folder of the container is not here.
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

/** The documents of a YAML file below the root. */
export const documents = (...path: string[]): Document[] =>
  parseAllDocuments(readFileSync(join(ROOT, ...path), 'utf8'), { merge: true }).map(document => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS() as Document
  })
