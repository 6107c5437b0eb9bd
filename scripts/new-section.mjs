/** `npm run new:section -- sources "Sources"`: begins a section of its own, mfe-sources; docs/first-section.md goes on from there. */
import { install } from './lib/install.mjs'
import { main, Refusal, root, say } from './lib/run.mjs'

await main(async () => {
  const [name, label, ...more] = process.argv.slice(2)
  if (!name || !label || more.length > 0)
    throw new Refusal(
      'npm run new:section -- NAME "LABEL": the folder is mfe-NAME, the menu says LABEL, such as: sources "Sources"',
    )
  process.chdir(root)
  await install()
  const { newSection } = await import('../tools/build-kit/src/new-section.mjs')
  const { PublishError } = await import('../tools/build-kit/src/publish-section.mjs')
  const files = await newSection({ root, name, label }).catch(error => {
    throw error instanceof PublishError ? new Refusal(error.message) : error
  })
  await install({ isNewPackage: true })
  say(`Written:\n${files.map(file => `  ${file}`).join('\n')}\n  tsconfig.json, pnpm-lock.yaml (changed)`)
})
