import { readConfig, runPart } from '@iodine/service-kit'
import { createApp } from './app.js'
import { rebuildGraphOnce } from './commands/rebuild-graph.js'
import { narrativesConfigSchema, rebuildConfigSchema } from './config.js'

if (process.argv[2] === 'rebuild-graph') {
  const days = await rebuildGraphOnce(readConfig(rebuildConfigSchema, process.env))
  process.stdout.write(`Graph rebuilt: ${days} days counted\n`)
} else await runPart(async () => createApp(readConfig(narrativesConfigSchema, process.env)))
