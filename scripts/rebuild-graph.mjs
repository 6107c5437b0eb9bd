/** `npm run rebuild-graph`: recounts the graph from the narratives, in MONGODB_URI or in the DATA_DIR of a stopped product. */

import { install } from './lib/install.mjs'
import { bin, main, must, releaseSignals, root, say } from './lib/run.mjs'

await main(async () => {
  process.chdir(root)
  await install()
  await must('Compiling', bin('tsc'), ['-b', '--noCheck', '--checkers', '1', 'packages/dev-stack'])
  releaseSignals()
  const { rebuildGraph } = await import('../packages/dev-stack/dist/rebuild-graph.js')
  say(`Graph rebuilt: ${await rebuildGraph(process.env)} days counted`)
})
