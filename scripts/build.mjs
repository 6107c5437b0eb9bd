/**
 * `npm run build`: compiles the Node packages and bundles the web apps; unchanged ones are skipped.
 * `npm run build:extension`: makes `extension/dist/iodine-collector-*.zip`, ready for the browsers' stores.
 */
import { isBuilt, keepBuilt, sourcesState } from './lib/built.mjs'
import { install } from './lib/install.mjs'
import { bin, isCommand, main, must, say, seconds } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

/** Compiles folders and their imports. Checking types takes several times as long as compiling. */
export const compile = (...folders) =>
  must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', ...folders])

/** Checks the types of everything, tests too, and compiles it. */
const compileChecked = () => must('Checking types', bin('tsc'), ['-b', '--checkers', '1'])

const bundle = (...args) =>
  must('Bundling the web apps', process.execPath, ['tools/build-kit/src/build-apps.mjs', ...args])

const bundleStart = () =>
  must('Bundling the product', process.execPath, ['tools/build-kit/src/bundle-start.mjs'])

/**
 * Builds what `npm start` runs: dev-stack with the parts it hosts, their bundle, and the web apps' bundles. `also` lists
 * more folders to compile. Does nothing if no file has changed since the last build.
 */
export async function build(...also) {
  if (isBuilt(also)) return
  await buildWith(also, () => compile('tools/dev-stack', ...also))
}

/** Builds all of it and checks its types, also if no file has changed. */
export const buildChecked = () => buildWith([], compileChecked)

async function buildWith(also, compileAll) {
  const started = Date.now()
  say('Building what changed …')
  // Read before: a file that changes meanwhile is built the next time.
  const sources = sourcesState()
  await Promise.all([compileAll().then(bundleStart), bundle()])
  keepBuilt(also, sources)
  say(`Built in ${seconds(started)}`)
}

/** Prepares a run of the product: installs packages and Redis, then builds. */
export async function prepare(...also) {
  await install()
  await ensureRedis()
  await build(...also)
}

if (isCommand(import.meta))
  await main(async () => {
    await install()
    await (process.argv[2] === 'extension' ? bundle('--force', 'extension') : build())
  })
