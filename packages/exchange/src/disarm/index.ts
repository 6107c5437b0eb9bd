// DISARM's techniques: a separate entry point, because the list is long and rarely needed.
import { clustersOf } from './galaxy.js'
import type { UsedTechnique } from './technique.js'
import { findTechnique, LIST_DATE, VERSION } from './techniques.js'

export { clusterOf } from './galaxy.js'
export {
  type Counts,
  cellsOf,
  isUsed,
  levelIn,
  type Matrix,
  type MatrixCell,
  type MatrixColumn,
  type MatrixOptions,
  MEASURES,
  type Measure,
  matrixOf,
  type Shade,
  type Side,
  shadesOf,
  sideOf,
  type TechniqueUse,
} from './matrix.js'
export { type MatrixFileOptions, matrixCsv, matrixLayer } from './matrix-file.js'
export { type MatrixSvgOptions, matrixSvg } from './matrix-svg.js'
export { type NavigatorLayer, toNavigatorLayer } from './navigator.js'
export { type ProposalOptions, proposeTechniques, type TechniqueProposal } from './propose.js'
export { techniqueOf } from './read.js'
export { type Successors, successorsOf } from './successors.js'
export { pageOf, type Tactic, type Technique } from './technique.js'
export { findTechnique, LIST_DATE, TACTICS, TECHNIQUES, VERSION } from './techniques.js'

/** Returns whether a release of DISARM contains a technique with this id. */
export const isTechnique = (id: string): boolean => findTechnique(id) !== undefined

/** Converts a campaign's stored techniques for export files. */
export const usedTechniques = (stored: readonly { id: string; at: string }[]): UsedTechnique[] =>
  stored.map(({ id, at }) => {
    const technique = findTechnique(id)
    return {
      id,
      at,
      name: technique?.name ?? null,
      tactic: technique?.tactic.name ?? null,
      until: technique?.until ?? null,
      clusters: technique ? clustersOf(technique) : [],
      list: VERSION,
      listDate: LIST_DATE,
    }
  })
