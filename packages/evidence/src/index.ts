export * from './checkpoint.js'
export * from './hash.js'
export * from './merkle.js'
export * from './quotes.js'
