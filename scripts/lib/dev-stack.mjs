import { existsSync } from 'node:fs'
import { install } from './install.mjs'
import { bin, must, releaseSignals, root } from './run.mjs'

/** A compiled module of dev-stack; compiled now where it never was, but not under the feet of what runs. */
export async function devStack(name) {
  process.chdir(root)
  const path = `tools/dev-stack/dist/${name}.js`
  if (!existsSync(path)) {
    await install()
    await must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'tools/dev-stack'])
  }
  releaseSignals()
  return import(`../../${path}`)
}
