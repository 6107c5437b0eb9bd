import { createPeers, readConfig, runPart } from '@iodine/service-kit'
import { runAccount } from './account.js'
import { createApp } from './app.js'
import { runAuditLog } from './audit-log.js'
import { authConfigSchema } from './config.js'

const [command, ...args] = process.argv.slice(2)
const config = () => readConfig(authConfigSchema, process.env)

const say = (line: string) => void process.stderr.write(`${line}\n`)

if (command === 'audit-log') {
  const peers = createPeers(config())
  process.exitCode = await runAuditLog(peers, args, { say })
  await peers.close()
} else if (command === 'account') {
  const settings = config()
  const peers = createPeers(settings)
  process.exitCode = await runAccount(peers, args, {
    say,
    stdout: process.stdout,
    folder: process.cwd(),
    // The environment of a container is its deployer's: what to set is printed.
    keys: { together: false, read: setting => settings[setting], writer: () => undefined },
  })
  await peers.close()
} else await runPart(async () => createApp(config()))
