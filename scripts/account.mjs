/** `npm run account -- delete|suspend|unsuspend|export EMAIL`: for the team that answers users' requests. */
import { existsSync } from 'node:fs'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { main, releaseSignals, root } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

const command = 'tools/dev-stack/dist/account-main.js'

await main(async () => {
  process.chdir(root)
  // What runs is not to be rebuilt under its feet.
  if (!existsSync(command)) {
    await install()
    await build()
  }
  await ensureRedis()
  releaseSignals()
  process.env.NODE_ENV ??= 'production'
  process.setSourceMapsEnabled(true)
  await import(`../${command}`)
})
