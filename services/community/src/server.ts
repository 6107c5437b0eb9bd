import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { communityConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(communityConfigSchema, process.env)))
