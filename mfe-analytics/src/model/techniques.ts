import type { CampaignAnalysis } from '@iodine/contracts'
import { isUsed, levelIn, matrixOf, matrixSvg, shadesOf } from '@iodine/exchange/disarm'
import { techniquePath } from './campaigns'
import type { Mark } from './chart'
import type { Controls } from './controls'

const usedMatrix = ({ techniques }: CampaignAnalysis) =>
  matrixOf(
    techniques.map(({ technique, campaigns }) => ({ id: technique, campaigns })),
    { isUsedOnly: true },
  )

/** A cell of the matrix: a used technique, with the number of its campaigns. */
export interface TechniqueMark extends Pick<Mark, 'key' | 'n' | 'to'> {
  name: string
  /** The shade, from 1 to 4. */
  level: number
}

/** Returns the tactics with used techniques, and those techniques, in DISARM's order. */
export const techniqueColumns = (data: CampaignAnalysis, controls: Controls) => {
  const matrix = usedMatrix(data)
  const shades = shadesOf(matrix, 'campaigns')
  return matrix.columns.map(({ tactic, cells }) => ({
    tactic: `${tactic.id} ${tactic.name}`,
    marks: cells
      .flatMap(cell => [cell, ...cell.below])
      .filter(isUsed)
      .map(({ technique: { id, name }, use }): TechniqueMark => {
        const n = use?.campaigns ?? 0
        return { key: id, name, n, level: levelIn(shades, n), to: techniquePath(id, controls) }
      }),
  }))
}

/** Draws the matrix as an SVG document of its own. */
export const techniquesSvg = (data: CampaignAnalysis, title: string): string =>
  matrixSvg(usedMatrix(data), { title, measure: 'campaigns' })
