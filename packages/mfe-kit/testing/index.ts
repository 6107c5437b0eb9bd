export * from './mount-section'
export * from './open-section'
