/**
 * `npm start`: from a fresh clone with only Node and npm to the running product. package.json says `exec`, or the shell
 * between npm and us would take npm's signals, and npm would end before we have stopped.
 */
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { main, Refusal, releaseSignals, root } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

await main(async () => {
  const unknown = process.argv.slice(2).find(option => option !== '--demo')
  if (unknown)
    throw new Refusal(
      `npm start takes no option ${unknown}, only --demo. Settings are environment variables: see README.md.`,
    )
  process.chdir(root)
  await install()
  await ensureRedis()
  await build()
  releaseSignals()
  process.env.NODE_ENV ??= 'production'
  process.setSourceMapsEnabled(true)
  await import('../tools/dev-stack/dist/main.js')
})
