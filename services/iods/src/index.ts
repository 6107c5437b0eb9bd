export { createApp } from './app.js'
export { newIodDoc } from './commands/create-iod.js'
export { type IodsConfig, iodsConfigSchema } from './config.js'
export { iodSchema, rankFields } from './models/iod.js'
