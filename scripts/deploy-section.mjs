/**
 * `npm run deploy:section -- mfe-iods --to FOLDER`: publishes a single section, and switches between its versions.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { install } from './lib/install.mjs'
import { callerFolder, main, Refusal, root, say } from './lib/run.mjs'

const USAGE = `npm run deploy:section -- SECTION --to FOLDER                 builds it, publishes its version, uses it
npm run deploy:section -- SECTION --to FOLDER --use VERSION   uses a version that is published
npm run deploy:section -- SECTION --to FOLDER --use bundled   uses the files that the gateway came with
npm run deploy:section -- --to FOLDER --list                  lists what is published`

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { to: { type: 'string' }, use: { type: 'string' }, list: { type: 'boolean' } },
    })
    if (!values.to) throw new Error('--to FOLDER is missing')
    if (positionals.length !== 1 && !values.list) throw new Error('name one section')
    if (values.list && values.use) throw new Error('--list and --use are two commands')
    return { ...values, app: positionals[0], to: resolve(callerFolder, values.to) }
  } catch (error) {
    throw new Refusal(`${error.message}.\n${USAGE}`)
  }
}

await main(async () => {
  const { app, to, use, list } = readArguments()
  const kit = await import('../tools/build-kit/src/publish-section.mjs')
  const tell = async name => {
    const { versions, current } = await kit.sectionState(to, name)
    const names = versions.map(version => (version === current ? `${version} (in use)` : version))
    if (!current) names.push('bundled (in use)')
    process.stdout.write(`${name}  ${names.join('  ')}\n`)
  }
  if (list) {
    for (const name of app ? [app] : await kit.publishedSections(to)) await tell(name)
    return
  }
  const known = [...(await kit.listSections(root)), ...(await kit.publishedSections(to))]
  if (!known.includes(app))
    throw new Refusal(`There is no section ${app} here. The sections are: ${[...new Set(known)].join(', ')}.`)
  let version = use === 'bundled' ? undefined : use
  if (use === undefined) {
    await install()
    const published = await kit.publishSection({ root, app, to })
    version = published.version
    say(`${app} ${version} ${published.isNew ? 'published' : 'is published already, with the same content'}`)
  }
  await kit.useVersion({ app, to, version })
  await tell(app)
})
