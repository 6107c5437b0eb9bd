export * from './app.js'
export * from './processes.js'
export * from './started-app.js'
