/**
 * `npm run pictures`: takes pictures of every state of every screen (empty, filled, with many rows, with the
 * longest values, loading, failed, each dialog) at three sizes, into `pictures/`. Lists what a machine can
 * find wrong in them, and exits with 0 if that is nothing. Arguments go to Playwright's `test` command.
 */
import { prepare } from './build.mjs'
import { journeys } from './journeys.mjs'
import { main } from './lib/run.mjs'

await main(async () => {
  await prepare('e2e')
  process.exitCode = await journeys(process.argv.slice(2), { config: 'e2e/pictures.config.ts' })
})
