/** `npm run rebuild-community`: public profiles anew from accounts, IODs and narratives, in the product that runs on DATA_DIR. */
import { existsSync } from 'node:fs'
import { main, Refusal, releaseSignals, root, say } from './lib/run.mjs'

const command = 'packages/dev-stack/dist/rebuild-community.js'
const NOT_RUNNING = 'Nothing runs on DATA_DIR: start the product first (npm start).'

await main(async () => {
  process.chdir(root)
  if (!existsSync(command)) throw new Refusal(NOT_RUNNING)
  releaseSignals()
  const { rebuildCommunity } = await import(`../${command}`)
  if (!(await rebuildCommunity(process.env))) throw new Refusal(NOT_RUNNING)
  say('Community rebuilt.')
})
