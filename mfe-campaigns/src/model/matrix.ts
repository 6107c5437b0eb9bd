import type { CampaignTechnique } from '@iodine/contracts'
import type { Matrix, MatrixCell, MatrixColumn, Tactic, TechniqueUse } from '@iodine/exchange/disarm'
import { searchTechniques } from './techniques'

/** A displayed cell of the matrix. */
export interface GridCell {
  cell: MatrixCell
  /** Whether it is below another technique. */
  isSub: boolean
  /** Whether its sub-techniques are displayed; undefined without any. */
  isOpen: boolean | undefined
}

/** A displayed tactic. */
export interface GridRow {
  tactic: Tactic
  /** Number of used techniques, with hidden ones. */
  used: number
  cells: GridCell[]
}

/** What the matrix displays. */
export interface GridState {
  /** Ids of the techniques whose sub-techniques are displayed. */
  open: ReadonlySet<string>
  /** Searched text; blank for all techniques. */
  text: string
}

const rowOf = ({ tactic, used, cells }: MatrixColumn, open: ReadonlySet<string>): GridRow => ({
  tactic,
  used,
  cells: cells.flatMap(cell => {
    const isOpen = cell.below.length > 0 ? open.has(cell.technique.id) : undefined
    const below = isOpen ? cell.below.map(each => ({ cell: each, isSub: true, isOpen: undefined })) : []
    return [{ cell, isSub: false, isOpen }, ...below]
  }),
})

/** Keeps the techniques that contain the text, with the parents of found sub-techniques, and their tactics. */
const foundRow = ({ tactic, used, cells }: MatrixColumn, text: string): GridRow => ({
  tactic,
  used,
  cells: cells.flatMap(cell => {
    const isFound = searchTechniques([cell.technique], text).length > 0
    const below = cell.below.filter(each => searchTechniques([each.technique], text).length > 0)
    if (!isFound && below.length === 0) return []
    const isOpen = cell.below.length > 0 ? below.length > 0 : undefined
    return [
      { cell, isSub: false, isOpen },
      ...below.map(each => ({ cell: each, isSub: true, isOpen: undefined })),
    ]
  }),
})

/** Returns the displayed tactics with their displayed cells. A search finds sub-techniques that are folded. */
export const gridRows = ({ columns }: Matrix, { open, text }: GridState): GridRow[] =>
  text.trim() === ''
    ? columns.map(column => rowOf(column, open))
    : columns.map(column => foundRow(column, text)).filter(({ cells }) => cells.length > 0)

/** Returns the ids of the techniques with sub-techniques. */
export const foldableIds = ({ columns }: Matrix): string[] =>
  columns.flatMap(({ cells }) =>
    cells.flatMap(({ technique, below }) => (below.length > 0 ? technique.id : [])),
  )

/** Returns the number of a technique's sub-techniques that either side uses. */
export const usedBelow = ({ below }: MatrixCell): number =>
  below.filter(({ use, other }) => use !== null || other !== null).length

const STEPS: Readonly<Record<string, readonly [rows: number, cells: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
}

/** Returns the id of the technique that a key leads to; undefined for other keys and without cells. */
export const nextId = (
  rows: readonly GridRow[],
  id: string | undefined,
  key: string,
  isWhole: boolean,
): string | undefined => {
  const step = STEPS[key]
  const filled = rows.filter(({ cells }) => cells.length > 0)
  if (!step || filled.length === 0) return undefined
  const limit = (n: number, length: number) => Math.min(Math.max(n, 0), length - 1)
  const y = filled.findIndex(({ cells }) => cells.some(({ cell }) => cell.technique.id === id))
  const at = filled[Math.max(y, 0)]?.cells.findIndex(({ cell }) => cell.technique.id === id) ?? 0
  // Ctrl+Home and Ctrl+End lead to the first and the last technique of the matrix.
  const end = isWhole ? step[1] : 0
  const row = filled[limit(Math.max(y, 0) + step[0] + end, filled.length)] as GridRow
  return row.cells[limit(at + step[1], row.cells.length)]?.cell.technique.id
}

/** Returns the techniques of a campaign with the counts that shade them. */
export const usesOf = (used: readonly CampaignTechnique[] | undefined): TechniqueUse[] =>
  used?.map(({ id, iods, quotes }) => ({ id, campaigns: 1, iods, quotes })) ?? []
