import { themeColor, themeFont } from '@iodine/ui'
import type { Palette } from '../model/painter'

/** The theme's colours and font for drawing the graph on a canvas. There are three kinds of nodes at most. */
export const readPalette = (): Palette => ({
  nodes: [themeColor('graph-entity'), themeColor('graph-verb'), themeColor('graph-third')],
  links: [themeColor('graph-subject-link'), themeColor('graph-object-link')],
  selected: themeColor('graph-selected'),
  text: themeColor('text'),
  ground: themeColor('surface'),
  font: themeFont() || 'sans-serif',
})
