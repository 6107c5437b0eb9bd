import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { collectorConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(collectorConfigSchema, process.env)))
