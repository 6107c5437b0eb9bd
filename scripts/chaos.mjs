/** `npm run chaos`: breaks the product part by part under load, and compares what it holds with what it acknowledged. */

import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { bin, main, must, releaseSignals, root } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

await main(async () => {
  process.chdir(root)
  await install()
  await ensureRedis()
  await build()
  await must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'tools/chaos'])
  releaseSignals()
  process.setSourceMapsEnabled(true)
  await import('../tools/chaos/dist/main.js')
})
