import { readConfig, runPart, withPeers } from '@iodine/service-kit'
import { runAccount } from './account.js'
import { createApp } from './app.js'
import { runAuditLog } from './audit-log.js'
import { runBackupDone, runBackupFailed } from './backup-done.js'
import { authConfigSchema } from './config.js'

const [command, ...args] = process.argv.slice(2)
const config = () => readConfig(authConfigSchema, process.env)

const say = (line: string) => void process.stderr.write(`${line}\n`)

if (command === 'audit-log')
  process.exitCode = await withPeers(config(), peers => runAuditLog(peers, args, { say }))
else if (command === 'account') {
  const settings = config()
  process.exitCode = await withPeers(settings, peers =>
    runAccount(peers, args, {
      say,
      stdout: process.stdout,
      folder: process.cwd(),
      // A container cannot change its environment: the command prints the value for the deployer.
      keys: { together: false, read: setting => settings[setting], writer: () => undefined },
    }),
  )
} else if (command === 'backup-done' || command === 'backup-failed') {
  const run = command === 'backup-done' ? runBackupDone : runBackupFailed
  process.exitCode = await withPeers(config(), peers => run(peers, args, say))
} else await runPart(async () => createApp(config()))
