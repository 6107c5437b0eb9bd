import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packages } from './packages.mjs'
import { must, Refusal, root, say } from './run.mjs'

const pnpm = 'pnpm@10.34.9'
const stamp = join(root, 'node_modules/.cache/iodine/install')

/**
 * Installs the workspace with the pinned pnpm, unless the lock file and every package.json are unchanged since the last
 * install. The lock file is frozen, except for a new package of the workspace.
 */
export async function install({ isNewPackage = false } = {}) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    throw new Refusal(`Iodine needs Node 20.19 or newer; this is ${process.versions.node}.`)
  const manifests = ['', ...packages(root)].map(folder => join(folder, 'package.json'))
  const key = () => {
    const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${major} ${pnpm}`)
    for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests])
      hash.update(`\0${file}\0`).update(readFileSync(join(root, file)))
    return hash.digest('hex')
  }
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key()) return
  say('Installing dependencies (only once, and after changes) …')
  const lock = isNewPackage ? '--no-frozen-lockfile' : '--frozen-lockfile'
  const args = ['--yes', pnpm, 'install', lock, '--prod=false', '--reporter=append-only']
  await must('Installing dependencies', 'npx', args, { env: { CI: 'true' } })
  mkdirSync(dirname(stamp), { recursive: true })
  // Recomputed, since installing a new package changes the lock file.
  writeFileSync(stamp, key())
}
