export { readStackConfig, type StackConfig } from './config.js'
