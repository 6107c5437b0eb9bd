import { createPeers, readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { communityConfigSchema } from './config.js'
import { runRebuild } from './rebuild.js'

const config = () => readConfig(communityConfigSchema, process.env)

if (process.argv[2] === 'rebuild') {
  const peers = createPeers(config())
  await runRebuild(peers)
  await peers.close()
} else await runPart(async () => createApp(config()))
