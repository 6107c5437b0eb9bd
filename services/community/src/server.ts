import { readConfig, rebuildPart, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { communityConfigSchema } from './config.js'

const config = () => readConfig(communityConfigSchema, process.env)

if (process.argv[2] === 'rebuild') await rebuildPart('community', config())
else await runPart(async () => createApp(config()))
