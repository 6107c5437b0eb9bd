import { themeColor, themeFont } from '@iodine/ui'
import type { Palette } from '../model/painter'

/** Returns the theme's colours and font for drawing the graph on a canvas. There are at most four kinds of nodes. */
export const readPalette = (): Palette => ({
  nodes: [
    themeColor('graph-entity'),
    themeColor('graph-verb'),
    themeColor('graph-third'),
    themeColor('graph-fourth'),
  ],
  links: [themeColor('graph-subject-link'), themeColor('graph-object-link')],
  selected: themeColor('graph-selected'),
  text: themeColor('text'),
  ground: themeColor('surface'),
  font: themeFont() || 'sans-serif',
})
