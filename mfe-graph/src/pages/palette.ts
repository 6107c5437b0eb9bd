import { themeColor, themeFont } from '@iodine/ui'
import type { Palette } from '../model/painter'

/** The theme's colours and font for drawing the graph on a canvas. */
export const readPalette = (): Palette => ({
  entity: themeColor('graph-entity'),
  verb: themeColor('graph-verb'),
  subjectLink: themeColor('graph-subject-link'),
  objectLink: themeColor('graph-object-link'),
  selected: themeColor('graph-selected'),
  text: themeColor('text'),
  ground: themeColor('surface'),
  font: themeFont() || 'sans-serif',
})
