export { createApp } from './app.js'
export { type IodsConfig, iodsConfigSchema } from './config.js'
export { newIodDoc } from './iods/commands/create-iod.js'
export { iodSchema, rankFields } from './iods/models/iod.js'
