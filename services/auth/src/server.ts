import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { authConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(authConfigSchema, process.env)))
