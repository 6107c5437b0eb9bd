/**
 * `npm run journeys -- [NAME …]`: the journeys in a browser, all or those of files whose names contain NAME. What follows goes to
 * Playwright's `test` command. Ends with 0 when all passed at their first try.
 */
import { pathToFileURL } from 'node:url'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { bin, main, must, root, run } from './lib/run.mjs'
import { ensureBrowser, ensureRedis } from './lib/system.mjs'

/**
 * Runs the journeys on what is built; resolves to the exit code.
 * @param options.report file for Playwright's JSON report
 * @param options.file descriptor that takes the output, in place of standard error
 */
export async function journeys(args = [], { report, file } = {}) {
  const browser = await ensureBrowser()
  return run(bin('playwright', 'e2e'), ['test', '--config', 'e2e/playwright.config.ts', ...args], {
    env: {
      // Of the clock that a journey moves.
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...(report && { JOURNEYS_REPORT: report }),
      ...(browser && { CHROMIUM_PATH: browser }),
    },
    file,
  })
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.chdir(root)
  await main(async () => {
    await install()
    await ensureRedis()
    await build()
    await must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'e2e'])
    process.exitCode = await journeys(process.argv.slice(2))
  })
}
