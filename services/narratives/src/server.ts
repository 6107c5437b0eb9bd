import { readConfig, rebuildPart, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { narrativesConfigSchema } from './config.js'

const config = () => readConfig(narrativesConfigSchema, process.env)

if (process.argv[2] === 'rebuild') await rebuildPart('narratives', config())
else await runPart(async () => createApp(config()))
