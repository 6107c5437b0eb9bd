export { createApp } from './app.js'
export { type IodsConfig, iodsConfigSchema } from './config.js'
export { searchInDatabase } from './migrations/0001-search-in-database.js'
export { iodSchema, rankFields, searchFields } from './models/iod.js'
