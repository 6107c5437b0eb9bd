import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { notificationsConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(notificationsConfigSchema, process.env)))
