import { writeCsv } from '../spreadsheet.js'
import { cellsOf, isUsed, type Matrix, type Measure, type Side, sideOf } from './matrix.js'
import { layerOf, type NavigatorLayer } from './navigator.js'
import { phaseNameOf } from './technique.js'

/** Options of a matrix as a file. */
export interface MatrixFileOptions {
  /** Name of the campaign, or of the selection. */
  title: string
  /** Names of the two campaigns of a comparison. */
  names?: readonly [first: string, second: string] | undefined
  /** Count that is the score of a cell; default: quotes. */
  measure?: Measure | undefined
}

const SCORES: Record<Side, number> = { first: 1, second: 2, both: 3 }
/** Colours of a comparison in the Navigator. */
const COLOURS: Record<Side, string> = { first: '#dfeafb', second: '#fde6cf', both: '#eee3f8' }

/** Writes a CSV file with a row for each used technique: its counts, or the campaigns of a comparison that use it. */
export function matrixCsv(matrix: Matrix, { names = ['1', '2'] }: Partial<MatrixFileOptions> = {}): string {
  const about = ['id', 'name', 'tactic_id', 'tactic', 'until']
  const header = matrix.isComparison ? [...about, 'used_by'] : [...about, 'campaigns', 'iods', 'quotes']
  const users = { first: names[0], second: names[1], both: `${names[0]}; ${names[1]}` }
  const rows = cellsOf(matrix)
    .filter(isUsed)
    .map(cell => {
      const { id, name, tactic, until } = cell.technique
      const side = sideOf(cell) as Side
      const counts = [cell.use?.campaigns, cell.use?.iods, cell.use?.quotes]
      return [id, name, tactic.id, tactic.name, until, ...(matrix.isComparison ? [users[side]] : counts)]
    })
  return writeCsv(header, rows)
}

/**
 * Converts the current techniques of a matrix to a layer of DISARM's Navigator. The score is the count, at least 1; in
 * a comparison it is 1 for the first campaign, 2 for the second and 3 for both.
 */
export function matrixLayer(
  matrix: Matrix,
  { title, names = ['1', '2'], measure = 'quotes' }: MatrixFileOptions,
): NavigatorLayer {
  const users = { first: names[0], second: names[1], both: `${names[0]}; ${names[1]}` }
  const techniques = cellsOf(matrix)
    .filter(cell => isUsed(cell) && cell.technique.until === null)
    .map(cell => {
      const side = sideOf(cell) as Side
      return {
        techniqueID: cell.technique.id,
        tactic: phaseNameOf(cell.technique.tactic.name),
        score: matrix.isComparison ? SCORES[side] : Math.max(1, cell.use?.[measure] ?? 0),
        comment: matrix.isComparison ? users[side] : '',
        enabled: true as const,
        ...(matrix.isComparison && { color: COLOURS[side] }),
      }
    })
  return layerOf(title, '', techniques)
}
