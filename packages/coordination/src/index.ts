export { type DetectedPairs, detectGroups, detectPairs, type Pair } from './groups.js'
export { type Edge, heaviest, network } from './network.js'
export { type DetectOptions, PAIRS_MAX, PAIRS_PER_OBJECT_MAX } from './row-pairs.js'
export type { Share } from './shares.js'
export {
  type Significance,
  type SignificanceOptions,
  significance,
  significant,
  type TestedEdge,
} from './significance.js'
