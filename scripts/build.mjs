/** `npm run build`: compiles the Node packages and bundles the web apps, each only when something of it changed. */
import { pathToFileURL } from 'node:url'
import { install } from './lib/install.mjs'
import { bin, main, must, say, seconds } from './lib/run.mjs'

/** Builds what `npm start` runs: dev-stack with all that it hosts, and the web apps' bundles. */
export async function build() {
  const started = Date.now()
  say('Building what changed …')
  await Promise.all([
    // Types are checked by `npm test`: that takes several times as long as compiling.
    must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'tools/dev-stack']),
    must('Bundling the web apps', process.execPath, ['tools/build-kit/src/build-apps.mjs']),
  ])
  say(`Built in ${seconds(started)}`)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  await main(async () => {
    await install()
    await build()
  })
