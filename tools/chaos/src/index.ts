export * from './faults.js'
export * from './report.js'
export * from './run.js'
