/**
 * `npm start`: from a fresh clone with only Node and npm to the running product. package.json uses `exec`:
 * otherwise the shell would receive npm's signals, and npm would exit before the product has stopped.
 */
import { prepare } from './build.mjs'
import { handOver, main, Refusal } from './lib/run.mjs'

await main(async () => {
  const unknown = process.argv.slice(2).find(option => option !== '--demo')
  if (unknown)
    throw new Refusal(
      `npm start takes no option ${unknown}, only --demo. Settings are environment variables: see README.md.`,
    )
  await prepare()
  process.env.NODE_ENV ??= 'production'
  await handOver('tools/dev-stack/dist/main.js')
})
