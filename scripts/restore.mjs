/** `npm run restore -- FOLDER`: fills an empty DATA_DIR from what `npm run backup` made. */
import { resolve } from 'node:path'
import { devStack } from './lib/dev-stack.mjs'
import { main, Refusal, say } from './lib/run.mjs'

await main(async () => {
  const [folder, ...more] = process.argv.slice(2)
  if (!folder || more.length > 0) throw new Refusal('Usage: npm run restore -- FOLDER')
  const { restore, BackupRefusal } = await devStack('backup')
  const from = resolve(process.env.INIT_CWD ?? '.', folder)
  const { running, madeAt } = await restore(process.env, from).catch(error => {
    throw error instanceof BackupRefusal ? new Refusal(error.message) : error
  })
  say(`Restored the backup of ${madeAt}. Start the product with npm start.`)
  if (running) say('It is of a running product: run npm run rebuild-community once it has started.')
})
