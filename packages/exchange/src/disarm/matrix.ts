import type { Tactic, Technique } from './technique.js'
import { TACTICS, TECHNIQUES } from './techniques.js'

/** Numbers that a matrix is coloured by. */
export const MEASURES = ['campaigns', 'iods', 'quotes'] as const
export type Measure = (typeof MEASURES)[number]

/** A used technique, with the campaigns that use it, and the IODs and quotes that it rests on; default: 0. */
export type TechniqueUse = { id: string } & Partial<Counts>
export type Counts = Record<Measure, number>

export interface MatrixCell {
  technique: Technique
  /** Null if the technique is not used. */
  use: Counts | null
  /** The same of the compared campaign. */
  other: Counts | null
  /** Sub-techniques, sorted by id. */
  below: MatrixCell[]
}

export interface MatrixColumn {
  tactic: Tactic
  /** Sorted by id. */
  cells: MatrixCell[]
  /** Number of techniques, with sub-techniques, that either side uses. */
  used: number
}

/** DISARM's matrix. */
export interface Matrix {
  /** Tactics by rank. */
  columns: MatrixColumn[]
  isComparison: boolean
  /** Used ids that the list lacks, of both sides. */
  unknown: string[]
}

/** Options of a matrix. */
export interface MatrixOptions {
  /** Techniques of a second campaign. */
  compareWith?: readonly TechniqueUse[] | undefined
  /** Omits techniques, sub-techniques and tactics that neither side uses, except for parents of used ones. */
  isUsedOnly?: boolean | undefined
}

const asCount = (value: number | undefined): number =>
  value !== undefined && Number.isFinite(value) && value > 0 ? value : 0

/** Returns the counts by id; of an id that occurs several times, the sums. */
const countsById = (uses: readonly TechniqueUse[]): Map<string, Counts> => {
  const byId = new Map<string, Counts>()
  for (const { id, campaigns, iods, quotes } of uses) {
    const before = byId.get(id)
    byId.set(id, {
      campaigns: asCount(campaigns) + (before?.campaigns ?? 0),
      iods: asCount(iods) + (before?.iods ?? 0),
      quotes: asCount(quotes) + (before?.quotes ?? 0),
    })
  }
  return byId
}

/** Returns whether either side uses the technique of a cell. */
export const isUsed = ({ use, other }: MatrixCell): boolean => use !== null || other !== null

/** Which sides of a comparison use a technique. */
export type Side = 'first' | 'second' | 'both'
export const sideOf = ({ use, other }: MatrixCell): Side | null =>
  use && other ? 'both' : use ? 'first' : other ? 'second' : null

/**
 * Arranges the techniques of one campaign, of several, or of two that are compared, in DISARM's matrix. Obsolete
 * techniques are cells only where they are used.
 */
export function matrixOf(
  used: readonly TechniqueUse[],
  { compareWith, isUsedOnly = false }: MatrixOptions = {},
): Matrix {
  const [first, second] = [countsById(used), countsById(compareWith ?? [])]
  const cellById = new Map<string, MatrixCell>(
    TECHNIQUES.map(technique => {
      const { id } = technique
      return [id, { technique, use: first.get(id) ?? null, other: second.get(id) ?? null, below: [] }]
    }),
  )
  const parentOf = (id: string) => (id.includes('.') ? cellById.get(id.slice(0, id.indexOf('.'))) : undefined)
  for (const cell of cellById.values()) {
    const { id, until } = cell.technique
    if (isUsed(cell) || (until === null && !isUsedOnly)) parentOf(id)?.below.push(cell)
  }
  const columns = TACTICS.map(tactic => ({ tactic, cells: [] as MatrixCell[], used: 0 }))
  for (const cell of cellById.values()) {
    const { id, tactic, until } = cell.technique
    const column = columns[tactic.rank - 1] as MatrixColumn
    if (isUsed(cell)) column.used += 1
    const isCell = isUsed(cell) || cell.below.length > 0 || (until === null && !isUsedOnly)
    if (isCell && !parentOf(id)) column.cells.push(cell)
  }
  return {
    columns: isUsedOnly ? columns.filter(({ cells }) => cells.length > 0) : columns,
    isComparison: compareWith !== undefined,
    unknown: [...new Set([...first.keys(), ...second.keys()])].filter(id => !cellById.has(id)),
  }
}

/** Returns the cells of a matrix, each before those below it. */
export const cellsOf = ({ columns }: Matrix): MatrixCell[] =>
  columns.flatMap(({ cells }) => cells.flatMap(cell => [cell, ...cell.below]))

/** A shade of a matrix: the counts from `from` to `to`. */
export interface Shade {
  /** 1 (lightest) to 4. */
  level: number
  from: number
  to: number
}

const SHADES = 4

/** Returns the shades of a matrix by a measure, in equal steps from its minimum to its maximum. */
export function shadesOf(matrix: Matrix, measure: Measure): Shade[] {
  const counts = cellsOf(matrix).flatMap(({ use }) => (use ? [use[measure]] : []))
  if (counts.length === 0) return []
  const [min, max] = [Math.min(...counts), Math.max(...counts)]
  const shades: Shade[] = []
  for (let level = 1, from = min; from <= max; level++) {
    const to = min + Math.floor(((max - min) * level) / SHADES)
    if (to < from) continue
    shades.push({ level, from, to })
    from = to + 1
  }
  return shades
}

/** Returns the level of a count: 1 to 4. */
export const levelIn = (shades: readonly Shade[], count: number): number =>
  shades.find(({ to }) => count <= to)?.level ?? SHADES
