import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { gatewayConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(gatewayConfigSchema, process.env)))
