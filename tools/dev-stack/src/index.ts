export { rebuild } from './commands.js'
export { readStackConfig, type StackConfig, stackConfigSchema } from './config.js'
export type { PartName, StackPart } from './parts.js'
export { type Stack, type StackOptions, startStack } from './stack.js'
