/**
 * `npm run new:section -- sources "Sources"`: generates the section mfe-sources.
 * `npm run new:service -- watchlists`: generates the service services/watchlists; with `--section
 * "Watchlists"` also the section mfe-watchlists. docs/first-section.md has the next steps.
 */
import { parseArgs } from 'node:util'
import { install } from './lib/install.mjs'
import { bin, main, must, Refusal, root, say } from './lib/run.mjs'

const USAGE = {
  section:
    'npm run new:section -- NAME "LABEL": the folder is mfe-NAME, the menu says LABEL, such as: sources "Sources"',
  service:
    'npm run new:service -- NAME [--section "LABEL"]: the folder is services/NAME; with a section, the menu says LABEL',
}
const [kind, ...args] = process.argv.slice(2)

function given() {
  try {
    const options = kind === 'service' ? { section: { type: 'string' } } : {}
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [name, label = values.section] = positionals
    const wanted = kind === 'service' ? 1 : 2
    if (name && (kind === 'service' || label) && positionals.length === wanted) return { name, label }
  } catch {}
  throw new Refusal(USAGE[kind])
}

await main(async () => {
  const { name, label } = given()
  await install()
  const { newSection, newService } = await import('../tools/generators/src/index.mjs')
  const made = []
  if (kind === 'service') made.push(await newService({ root, name }))
  if (label !== undefined) made.push(await newSection({ root, name, label }))
  const written = made.flatMap(each => each.written)
  const changed = [...new Set(made.flatMap(each => each.changed))]
  const sources = [...written, ...changed].filter(file => /\.(tsx?|json)$/.test(file))
  await must('Formatting', bin('biome'), ['check', '--write', '--log-level=error', ...sources])
  await install({ isNewPackage: true })
  const lines = [...written, ...[...changed, 'pnpm-lock.yaml'].map(file => `${file} (changed)`)]
  say(`Written:\n${lines.map(line => `  ${line}`).join('\n')}`)
})
