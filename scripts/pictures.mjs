/**
 * `npm run pictures`: takes screenshots of every state of every screen (empty, filled, with many rows, with the longest
 * values, loading, failed, each dialog) at three sizes, into `pictures/`. Lists automatically detected faults, and exits
 * with 0 if there are none. Passes arguments to Playwright's `test` command.
 */
import { prepare } from './build.mjs'
import { journeys } from './journeys.mjs'
import { main } from './lib/run.mjs'

await main(async () => {
  await prepare()
  process.exitCode = await journeys(process.argv.slice(2), { config: 'e2e/pictures.config.ts' })
})
