import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { workersConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(workersConfigSchema, process.env)))
