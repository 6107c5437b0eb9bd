/**
 * `npm run new:service -- watchlists`: begins a service of its own, services/watchlists; with `--section "Watchlists"` also the
 * section mfe-watchlists. docs/first-section.md goes on from there.
 */
import { parseArgs } from 'node:util'
import { generate } from './lib/generate.mjs'
import { main, Refusal } from './lib/run.mjs'

const USAGE =
  'npm run new:service -- NAME [--section "LABEL"]: the folder is services/NAME; with a section, the menu says LABEL'

const given = () => {
  try {
    const options = { section: { type: 'string' } }
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const [name, ...more] = positionals
    if (name && more.length === 0) return { name, label: values.section }
  } catch {}
  throw new Refusal(USAGE)
}

await main(async () => {
  const { name, label } = given()
  await generate(async ({ newSection, newService }) => {
    const root = process.cwd()
    const service = await newService({ root, name })
    if (label === undefined) return service
    const section = await newSection({ root, name, label })
    return {
      written: [...service.written, ...section.written],
      changed: [...new Set([...service.changed, ...section.changed])],
    }
  })
})
