import type { SightingEdge } from '@iodine/contracts'
import { saveFile } from '@iodine/ui'
import { sightingsCsv } from '../model/export'
import { AXIS_HEIGHT, createPainter, LANE_HEIGHT } from '../model/painter'
import type { SearchResult } from '../model/sightings'
import type { Span, Timeline } from '../model/timeline'
import { readPalette } from './palette'

const PNG = { width: 1600, gutter: 240, pixelRatio: 2 }
/** Maximum number of lanes of a picture: browsers reject taller canvases. */
const LANES_MAX = 200

const fileName = (extension: string) => `origins_${new Date().toISOString().slice(0, 10)}.${extension}`

export const saveCsv = (found: SearchResult): void =>
  saveFile(fileName('csv'), new Blob([sightingsCsv(found)], { type: 'text/csv' }))

/** Saves the timeline of the first accounts as a PNG, at a pixel ratio of 2. */
export async function savePng(
  timeline: Timeline,
  edges: readonly SightingEdge[],
  span: Span,
  selected: number,
): Promise<void> {
  const { width, gutter, pixelRatio } = PNG
  const height = AXIS_HEIGHT + Math.min(timeline.lanes.length, LANES_MAX) * LANE_HEIGHT + 8
  const canvas = document.createElement('canvas')
  canvas.width = width * pixelRatio
  canvas.height = height * pixelRatio
  const context = canvas.getContext('2d')
  if (!context) throw new Error('No canvas context')
  context.scale(pixelRatio, pixelRatio)
  const view = { width, height, gutter, span, scroll: 0, selected, hovered: -1 }
  createPainter(timeline, edges, readPalette())(context, view)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve))
  if (!blob) throw new Error('The image is too large')
  saveFile(fileName('png'), blob)
}
