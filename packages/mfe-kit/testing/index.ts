export * from './api-server'
export * from './open-section'
