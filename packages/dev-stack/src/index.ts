export { readStackConfig, type StackConfig } from './config.js'
export type { PartName, StackPart } from './parts.js'
export { type Stack, type StackOptions, startStack } from './stack.js'
