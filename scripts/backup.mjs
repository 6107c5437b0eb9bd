/** `npm run backup -- FOLDER`: copies DATA_DIR, of a running or a stopped product, into a new folder. */
import { resolve } from 'node:path'
import { devStack } from './lib/dev-stack.mjs'
import { main, Refusal, say } from './lib/run.mjs'

await main(async () => {
  const [folder, ...more] = process.argv.slice(2)
  if (!folder || more.length > 0) throw new Refusal('Usage: npm run backup -- FOLDER')
  const { backup, BackupRefusal } = await devStack('backup')
  const to = resolve(process.env.INIT_CWD ?? '.', folder)
  await backup(process.env, to).catch(error => {
    throw error instanceof BackupRefusal ? new Refusal(error.message) : error
  })
  say(`Backed up into ${to}. It holds keys and all that people entered: keep it as safe as the data.`)
})
