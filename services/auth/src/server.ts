import { readConfig, runPart, withPeers } from '@iodine/service-kit'
import { runAccount } from './account.js'
import { createApp } from './app.js'
import { runAuditLog } from './audit-log.js'
import { runBackupDone } from './backup-done.js'
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
      // The environment of a container is its deployer's: what to set is printed.
      keys: { together: false, read: setting => settings[setting], writer: () => undefined },
    }),
  )
} else if (command === 'backup-done')
  process.exitCode = await withPeers(config(), peers => runBackupDone(peers, args, { say }))
else await runPart(async () => createApp(config()))
