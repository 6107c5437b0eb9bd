import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { campaignsConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(campaignsConfigSchema, process.env)))
