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
  const peers = createPeers(config())
  process.exitCode = await runAccount(peers, args, {
    say,
    stdout: process.stdout,
    folder: process.cwd(),
  })
  await peers.close()
} else await runPart(async () => createApp(config()))
