export { type Anchored, buildWacz, type PublishedKey, type QuotedEvidence, type WaczInput } from './build.js'
export { verifyWacz, type WaczCheck, type WaczReport } from './verify.js'
