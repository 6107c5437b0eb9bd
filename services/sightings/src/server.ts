import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { sightingsConfigSchema } from './config.js'

await runPart(async () => createApp(readConfig(sightingsConfigSchema, process.env)))
