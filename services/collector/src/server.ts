import { createPeers, readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { collectorConfigSchema } from './config.js'
import { runEvidence } from './redact.js'

const [command, ...args] = process.argv.slice(2)
const config = () => readConfig(collectorConfigSchema, process.env)

if (command === 'evidence') {
  const peers = createPeers(config())
  process.exitCode = await runEvidence(peers, args, {
    say: line => void process.stderr.write(`${line}\n`),
  })
  await peers.close()
} else await runPart(async () => createApp(config()))
