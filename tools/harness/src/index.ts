export * from './processes.js'
export * from './product.js'
export * from './stack.js'
export * from './watched.js'
