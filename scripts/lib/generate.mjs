import { install } from './install.mjs'
import { bin, must, Refusal, root, say } from './run.mjs'

/** Runs a generator, formats what it wrote and installs it; what it refuses ends the command. */
export async function generate(work) {
  process.chdir(root)
  await install()
  const generators = await import('../../tools/generators/src/index.mjs')
  const { written, changed } = await work(generators).catch(error => {
    throw error instanceof generators.GeneratorError ? new Refusal(error.message) : error
  })
  const sources = [...written, ...changed].filter(file => /\.(tsx?|json)$/.test(file))
  await must('Formatting', bin('biome'), ['check', '--write', '--log-level=error', ...sources])
  await install({ isNewPackage: true })
  const lines = [...written, ...[...changed, 'pnpm-lock.yaml'].map(file => `${file} (changed)`)]
  say(`Written:\n${lines.map(line => `  ${line}`).join('\n')}`)
}
