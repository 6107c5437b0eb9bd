/**
 * `npm run build`: compiles the Node packages and bundles the web apps; unchanged ones are skipped.
 * `npm run build:extension`: creates `extension/dist/iodine-collector-*.zip` for the browsers' stores.
 */
import { isBuilt, keepBuilt, sourcesState } from './lib/built.mjs'
import { install } from './lib/install.mjs'
import { bin, isCommand, main, must, say, seconds } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

/** Compiles folders and their imports without type checks, which take several times as long as compiling. */
export const compile = (...folders) =>
  must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', ...folders])

/** Type-checks and compiles all code, including tests. */
const compileChecked = () => must('Checking types', bin('tsc'), ['-b', '--checkers', '1'])

const bundle = (...args) =>
  must('Bundling the web apps', process.execPath, ['tools/build-kit/src/build-apps.mjs', ...args])

const bundleStart = () =>
  must('Bundling the product', process.execPath, ['tools/build-kit/src/bundle-start.mjs'])

/**
 * Builds for `npm start`: dev-stack with the parts it hosts, their bundle, and the web apps' bundles. Does nothing if no
 * file has changed since the last build.
 * @param also further folders to compile
 */
export async function build(...also) {
  if (isBuilt(also)) return
  await buildWith(also, () => compile('tools/dev-stack', ...also))
}

/** Builds and type-checks everything, also if no file has changed. */
export const buildChecked = () => buildWith([], compileChecked)

async function buildWith(also, compileAll) {
  const started = Date.now()
  say('Building changed files …')
  // Read first, so that a change during the build causes another build.
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
