export * from './batched-lookup'
export * from './candidates'
export * from './known-iods'
export * from './suggest-category'
