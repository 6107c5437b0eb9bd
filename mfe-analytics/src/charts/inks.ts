import { themeColor } from '@iodine/ui'

const NAMES = [
  'graph-entity',
  'graph-fourth',
  'graph-verb',
  'graph-third',
  'graph-object-link',
  'bar',
  'muted',
]
/** Paths of the white hatching of each series. It distinguishes series without colour (WCAG 2.2, 1.4.1). */
const LINES = [
  '',
  'M0 0L8 8M-2 6L2 10M6 -2L10 2',
  'M0 4H8',
  'M4 0V8',
  'M0 8L8 0M-2 2L2 -2M6 10L10 6',
  'M0 4H8M4 0V8',
  '',
]

export const SVG = 'http://www.w3.org/2000/svg'

/** Creates an SVG element with attributes. */
export function svgElement<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** Returns the fill of a series. */
export const inkOf = (prefix: string, series: number): string => `url(#${prefix}-${series % NAMES.length})`

/** Returns the patterns that `inkOf` refers to. */
export function inkPatterns(prefix: string): SVGDefsElement {
  const defs = svgElement('defs', {})
  NAMES.forEach((name, n) => {
    const pattern = svgElement('pattern', {
      id: `${prefix}-${n}`,
      width: 8,
      height: 8,
      patternUnits: 'userSpaceOnUse',
    })
    pattern.append(
      svgElement('rect', { width: 8, height: 8, fill: themeColor(name) || '#5f6b7c' }),
      svgElement('path', {
        d: LINES[n] ?? '',
        stroke: '#ffffff',
        'stroke-opacity': 0.55,
        'stroke-width': 1.5,
        fill: 'none',
      }),
    )
    defs.append(pattern)
  })
  return defs
}

const PALE = [231, 240, 251] as const
const DEEP = [24, 74, 144] as const
/** Returns the fill of a cell, and a text colour with sufficient contrast, by its share of the maximum. */
export const shadeOf = (share: number): { fill: string; text: string } => {
  const mix = PALE.map((pale, n) => Math.round(pale + ((DEEP[n] ?? 0) - pale) * share))
  return { fill: `rgb(${mix.join(',')})`, text: share > 0.5 ? '#ffffff' : '#1c2127' }
}
