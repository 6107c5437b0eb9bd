/**
 * Commands on the contents of DATA_DIR, under their names in package.json:
 *   npm run account -- delete|suspend|unsuspend|reset-passkeys|export EMAIL   handles a user's request
 *   npm run account -- keys|rotate-keys   shows or rotates the keys that sign sessions and seal secrets
 *   npm run audit-log -- verify [SEQ:HASH]   checks the chain of the audit log
 *   npm run evidence -- redact ID REASON   erases a capture and its quotes, or one quote, for a quoted person
 *   npm run backup -- FOLDER       copies DATA_DIR of a running or stopped product into a new folder
 *   npm run restore -- FOLDER      fills an empty DATA_DIR from such a copy
 *   npm run rebuild-community      rebuilds public profiles from accounts, IODs, narratives (product running)
 *   npm run rebuild-graph          rebuilds the graph's counts from the narratives (product running)
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from './build.mjs'
import { install } from './lib/install.mjs'
import { callerFolder, importCompiled, main, Refusal, say } from './lib/run.mjs'
import { ensureRedis } from './lib/system.mjs'

const [command, ...args] = process.argv.slice(2)

/**
 * Imports a compiled module of dev-stack. Builds it only if it is missing: a running product may load from an existing
 * build.
 */
async function devStack(name) {
  const path = `tools/dev-stack/dist/${name}.js`
  if (!existsSync(path)) {
    await install()
    await build()
  }
  return importCompiled(path)
}

function givenFolder() {
  const [folder, ...more] = args
  if (!folder || more.length > 0) throw new Refusal(`Usage: npm run ${command} -- FOLDER`)
  return resolve(callerFolder, folder)
}

async function rebuild(part, done) {
  const { rebuild } = await devStack('commands')
  if (!(await rebuild(part, process.env)))
    throw new Refusal('No product runs on DATA_DIR: start it first (npm start).')
  say(done)
}

/** Runs a command that returns its exit status and may start the product's servers. */
async function team(name, output) {
  await ensureRedis()
  process.env.NODE_ENV ??= 'production'
  const { [name]: run } = await devStack('commands')
  process.exitCode = await run(args, process.env, output)
}

const commands = {
  account: () => team('account', { say, stdout: process.stdout, folder: callerFolder }),
  'audit-log': () => team('auditLog', say),
  evidence: () => team('evidence', say),
  async backup() {
    const to = givenFolder()
    const { backup } = await devStack('backup')
    const isNoted = await backup(process.env, to)
    say(`Backed up into ${to}. It contains keys and all user data: protect it like the data itself.`)
    if (!isNoted) say('Admin will not show this backup: its report could not be stored in DATA_DIR.')
  },
  async restore() {
    const from = givenFolder()
    const { restore } = await devStack('backup')
    const { running, madeAt } = await restore(process.env, from)
    say(`Restored the backup of ${madeAt}. Start the product with npm start.`)
    if (running)
      say(
        'The backup was made of a running product: run npm run rebuild-community once the product has started.',
      )
  },
  'rebuild-community': () => rebuild('community', 'Community rebuilt.'),
  'rebuild-graph': () => rebuild('narratives', 'Graph rebuilt.'),
}

await main(commands[command])
