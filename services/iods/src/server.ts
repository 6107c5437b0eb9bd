import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { iodsConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(iodsConfigSchema, process.env)))
