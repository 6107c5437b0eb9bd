export {
  type Assignment,
  assign,
  type Canonical,
  type CanonicalNarrative,
  type CanonOptions,
  type Cluster,
  type ClusterMember,
  canonicalize,
  narrativesOf,
  type Triplet,
} from './canonicalize.js'
export { clusterIdOf, keyOf, type RuleKind } from './keys.js'
export type { Why } from './link.js'
export { nameOf } from './names.js'
export {
  type Constraints,
  conflictOf,
  constraintsOf,
  type Rule,
  RulesConflict,
} from './rules.js'
export { type Alike, DIMENSIONS, type Embeddings } from './vectors.js'
export { formOf, type VerbForm } from './verbs.js'
