/**
 * `npm run journeys -- [NAME …]`: runs the browser journeys, all or those in files whose names contain NAME. Passes
 * arguments to Playwright's `test` command. Exits with 0 if all passed at the first attempt.
 */
import { prepare } from './build.mjs'
import { bin, isCommand, main, run } from './lib/run.mjs'
import { ensureBrowser, ensureFirefox } from './lib/system.mjs'

/**
 * Runs the journeys on the existing build. Resolves to the exit code.
 * @param options.report file for Playwright's JSON report
 * @param options.config Playwright's configuration
 * @param options.file descriptor that receives the output instead of standard error
 */
export async function journeys(args = [], { report, file, config = 'e2e/playwright.config.ts' } = {}) {
  const browser = await ensureBrowser()
  // All journeys in Firefox are long.
  const firefox = process.env.TEST_TIER === 'all' ? await ensureFirefox() : undefined
  return run(bin('playwright', 'e2e'), ['test', '--config', config, ...args], {
    env: {
      // Journeys that move the clock cause this warning.
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...(report && { JOURNEYS_REPORT: report }),
      ...(browser && { CHROMIUM_PATH: browser }),
      ...(firefox && { FIREFOX_PATH: firefox }),
    },
    file,
  })
}

if (isCommand(import.meta))
  await main(async () => {
    // Journeys of both tiers run: with their full number of repetitions.
    process.env.TEST_TIER ??= 'all'
    await prepare()
    process.exitCode = await journeys(process.argv.slice(2))
  })
