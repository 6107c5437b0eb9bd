import { digest, must, once, packages, Refusal, say } from './run.mjs'

const pnpm = 'pnpm@10.34.9'

/**
 * Installs the workspace by the pinned pnpm, unless the lock file and every package.json are those of the last install.
 * The lock file is kept to, save for a package that is new to the workspace.
 */
export async function install({ isNewPackage = false } = {}) {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    throw new Refusal(`Iodine needs Node 20.19 or newer; this is ${process.versions.node}.`)
  const manifests = ['package.json', ...packages().map(folder => `${folder}/package.json`)]
  const machine = `${process.platform} ${process.arch} ${major} ${pnpm}`
  const key = () => digest(['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests], machine)
  await once('install', key, () => {
    say('Installing dependencies (once; again only when they change) …')
    const lock = isNewPackage ? '--no-frozen-lockfile' : '--frozen-lockfile'
    const args = ['--yes', pnpm, 'install', lock, '--prod=false', '--reporter=append-only']
    return must('Installing dependencies', 'npx', args, { env: { CI: 'true' } })
  })
}
