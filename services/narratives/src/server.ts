import { readConfig, runPart } from '@iodine/service-kit'
import { createApp, rebuildGraphOnce } from './app.js'
import { narrativesConfigSchema } from './config.js'

const config = () => readConfig(narrativesConfigSchema, process.env)

if (process.argv[2] === 'rebuild-graph') await rebuildGraphOnce(config())
else await runPart(async () => createApp(config()))
