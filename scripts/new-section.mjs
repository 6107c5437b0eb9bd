/** `npm run new:section -- sources "Sources"`: begins a section of its own, mfe-sources; docs/first-section.md goes on from there. */
import { generate } from './lib/generate.mjs'
import { main, Refusal } from './lib/run.mjs'

await main(async () => {
  const [name, label, ...more] = process.argv.slice(2)
  if (!name || !label || more.length > 0)
    throw new Refusal(
      'npm run new:section -- NAME "LABEL": the folder is mfe-NAME, the menu says LABEL, such as: sources "Sources"',
    )
  await generate(({ newSection }) => newSection({ root: process.cwd(), name, label }))
})
