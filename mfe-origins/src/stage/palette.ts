import { themeColor, themeFont } from '@iodine/ui'
import type { Palette } from '../model/painter'

/** Returns the theme's colours and font for the timeline. */
export const readPalette = (): Palette => ({
  own: themeColor('graph-entity'),
  shared: themeColor('graph-third'),
  selected: themeColor('graph-selected'),
  line: themeColor('line'),
  stripe: themeColor('page'),
  ground: themeColor('surface'),
  text: themeColor('text'),
  muted: themeColor('muted'),
  font: themeFont() || 'sans-serif',
})
