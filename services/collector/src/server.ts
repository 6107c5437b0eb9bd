import { readConfig, runPart, withPeers } from '@iodine/service-kit'
import { createApp } from './app.js'
import { collectorConfigSchema } from './config.js'
import { runEvidence } from './redact.js'

const [command, ...args] = process.argv.slice(2)
const config = () => readConfig(collectorConfigSchema, process.env)

const say = (line: string) => void process.stderr.write(`${line}\n`)

if (command === 'evidence')
  process.exitCode = await withPeers(config(), peers => runEvidence(peers, args, { say }))
else await runPart(async () => createApp(config()))
