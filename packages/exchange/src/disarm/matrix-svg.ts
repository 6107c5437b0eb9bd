import {
  cellsOf,
  isUsed,
  levelIn,
  type Matrix,
  type MatrixCell,
  type MatrixColumn,
  type Measure,
  shadesOf,
  sideOf,
} from './matrix.js'
import { MATRIX_TEXTS, type MatrixTexts } from './matrix-text.js'
import { VERSION } from './techniques.js'

/** Options of a drawn matrix. */
export interface MatrixSvgOptions {
  /** Heading, such as the name of a campaign. */
  title?: string | undefined
  /** Names of the two campaigns of a comparison. */
  names?: readonly [first: string, second: string] | undefined
  /** Count that shades the cells; default: quotes. A comparison is coloured by side. */
  measure?: Measure | undefined
  language?: 'en' | 'fr' | undefined
  /** Prefix of the ids in the SVG, for pages with several: letters, digits and hyphens. */
  idPrefix?: string | undefined
}

const COLUMN = 148
const GAP = 8
const MARGIN = 16
const LINE = 12
/** Width of the patterned band at the start of a used cell. */
const BAND = 10
const INDENT = 10
const FONT = 10
const TITLE_LINES = 2

/** Fill and pattern by shade or side. The patterns differ in form and density: they stay distinct in black and white. */
const INKS = {
  1: { ground: '#e7f0fb', ink: '#2d72d2', path: 'M0 3H6', width: 0.8 },
  2: { ground: '#cfe1f7', ink: '#215db0', path: 'M0 0L6 6M-1 5L1 7M5 -1L7 1', width: 1.2 },
  3: { ground: '#a9c8ef', ink: '#184a90', path: 'M0 3H6M3 0V6', width: 1.6 },
  4: { ground: '#7fade6', ink: '#0c2f66', path: 'M0 0H6V6H0Z', width: 6 },
  first: { ground: '#dfeafb', ink: '#184a90', path: 'M0 0L6 6M-1 5L1 7M5 -1L7 1', width: 1.4 },
  second: { ground: '#fde6cf', ink: '#77450d', path: 'M0 6L6 0M-1 1L1 -1M5 7L7 5', width: 1.4 },
  both: { ground: '#eee3f8', ink: '#5a2a82', path: 'M0 0H6V6H0Z', width: 6 },
} as const
type Ink = keyof typeof INKS

/** Characters that XML 1.0 forbids, controls, and marks that reorder text or have no width. */
const UNSAFE =
  /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu

/** Returns text of an XML document, with a visible mark for each character that XML forbids or a reader does not see. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(UNSAFE, '\ufffd')
    .replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

const isNarrow = /[ijlt.,:;'|!()[\]\s]/
const isWide = /[mwMW@%]/
/** Returns an upper estimate of the width of a text in a sans-serif font, in font sizes. */
const widthOf = (text: string): number => {
  let width = 0
  for (const character of text)
    width +=
      character > '\u2e7f' ? 1.1 : isNarrow.test(character) ? 0.34 : isWide.test(character) ? 0.92 : 0.6
  return width
}

/** Wraps a text at spaces, and words that are too long within them; an ellipsis ends a text with too many lines. */
const wrap = (text: string, width: number, size: number, max: number): string[] => {
  const lines: string[] = []
  let line = ''
  const fits = (candidate: string) => widthOf(candidate) * size <= width
  for (const word of text.split(/\s+/).filter(Boolean)) {
    if (line !== '' && fits(`${line} ${word}`)) {
      line += ` ${word}`
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (line === '' || fits(line + character)) line += character
      else {
        lines.push(line)
        line = character
      }
    }
    if (lines.length > max) break
  }
  if (line !== '') lines.push(line)
  return lines.length <= max
    ? lines
    : [...lines.slice(0, max - 1), `${[...(lines[max - 1] as string)].slice(0, -1).join('')}…`]
}

const textLine = (x: number, y: number, text: string, attributes = '') =>
  `<text x="${x}" y="${y}"${attributes}>${xml(text)}</text>`

/** What the parts of one drawing share. */
interface Drawing {
  texts: MatrixTexts
  prefix: string
  legend: readonly (readonly [Ink, string])[]
  /** Null for a technique that is not used. */
  inkOf: (cell: MatrixCell) => Ink | null
  /** Text at the end of a used cell; empty for none. */
  countOf: (cell: MatrixCell) => string
  /** Description of a cell: its name, and who uses it or how much. */
  about: (cell: MatrixCell) => string
}

const labelOf = ({ technique: { id, name, until } }: MatrixCell, texts: MatrixTexts): string =>
  until === null ? `${id} ${name}` : `${id} ${name} · ${texts.until(until)}`

/** Colours a comparison by side. */
const drawingOfSides = (texts: MatrixTexts, prefix: string, names: readonly [string, string]): Drawing => {
  const sides = { first: names[0], second: names[1], both: texts.both }
  return {
    texts,
    prefix,
    legend: (['first', 'second', 'both'] as const).map(side => [side, sides[side]]),
    inkOf: sideOf,
    countOf: () => '',
    about: cell => {
      const side = sideOf(cell)
      return `${labelOf(cell, texts)}: ${side === null ? texts.notUsed : sides[side]}`
    },
  }
}

/** Shades a matrix by a measure. */
const drawingOfShades = (texts: MatrixTexts, prefix: string, matrix: Matrix, measure: Measure): Drawing => {
  const shades = shadesOf(matrix, measure)
  return {
    texts,
    prefix,
    legend: shades.map(({ level, from, to }) => [
      level as Ink,
      texts.measures[measure](from === to ? String(from) : `${from}–${to}`),
    ]),
    inkOf: ({ use }) => use && (levelIn(shades, use[measure]) as Ink),
    countOf: ({ use }) => (use?.[measure] ? String(use[measure]) : ''),
    about: cell =>
      `${labelOf(cell, texts)}: ${cell.use ? texts.measures[measure](String(cell.use[measure])) : texts.notUsed}`,
  }
}

/** Draws a cell at a position. Returns its height too. */
const drawCell = (drawing: Drawing, cell: MatrixCell, x: number, y: number) => {
  const { id, until } = cell.technique
  const ink = drawing.inkOf(cell)
  const indent = id.includes('.') ? INDENT : 0
  const [left, width] = [x + indent, COLUMN - indent]
  const lines = wrap(labelOf(cell, drawing.texts), width - BAND - 26, FONT, 6)
  const height = lines.length * LINE + 6
  const colours =
    ink === null
      ? { ground: '#ffffff', stroke: '#c5cbd3' }
      : { ground: INKS[ink].ground, stroke: INKS[ink].ink }
  const dash = until === null ? '' : ' stroke-dasharray="3 2"'
  const muted = ink === null ? ' fill="#5f6b7c"' : ''
  const parts = [
    `<title>${xml(drawing.about(cell))}</title>`,
    `<rect x="${left}" y="${y}" width="${width}" height="${height}" fill="${colours.ground}" stroke="${colours.stroke}"${dash}/>`,
  ]
  if (ink !== null)
    parts.push(
      `<rect x="${left}" y="${y}" width="${BAND}" height="${height}" fill="url(#${drawing.prefix}-${ink})" stroke="${colours.stroke}"/>`,
    )
  lines.forEach((line, n) => {
    parts.push(textLine(left + BAND + 4, y + 3 + (n + 1) * LINE - 3, line, muted))
  })
  const count = ink === null ? '' : drawing.countOf(cell)
  if (count !== '')
    parts.push(textLine(x + COLUMN - 4, y + LINE, count, ' text-anchor="end" font-weight="bold"'))
  return { svg: `<g>${parts.join('')}</g>`, height }
}

const drawColumn = (drawing: Drawing, column: MatrixColumn, x: number, y: number) => {
  const { tactic, used } = column
  const heading = wrap(`${tactic.id} ${tactic.name}`, COLUMN - 24, 11, 3)
  const parts = heading.map((line, n) =>
    textLine(x, y + 12 + n * 13, line, ' font-size="11" font-weight="bold"'),
  )
  if (used > 0) parts.push(textLine(x + COLUMN, y + 12, String(used), ' font-size="11" text-anchor="end"'))
  let at = y + 3 * 13 + 8
  for (const cell of column.cells.flatMap(each => [each, ...each.below])) {
    const { svg, height } = drawCell(drawing, cell, x, at)
    parts.push(svg)
    at += height + 3
  }
  return { svg: `<g>${parts.join('')}</g>`, bottom: at }
}

/** Draws the names of the phases over their columns. */
const drawPhases = ({ columns }: Matrix, texts: MatrixTexts, y: number): string => {
  let parts = ''
  columns.forEach(({ tactic: { phase } }, n) => {
    if (columns[n - 1]?.tactic.phase === phase) return
    const span = columns.slice(n).findIndex(({ tactic }) => tactic.phase !== phase)
    const count = span === -1 ? columns.length - n : span
    const x = MARGIN + n * (COLUMN + GAP)
    const width = count * (COLUMN + GAP) - GAP
    parts += `<rect x="${x}" y="${y}" width="${width}" height="18" fill="#404854"/>`
    parts += textLine(
      x + 6,
      y + 13,
      texts.phases[phase] ?? phase,
      ' fill="#ffffff" font-size="11" font-weight="bold"',
    )
  })
  return parts
}

const drawPattern = (prefix: string, ink: Ink): string => {
  const { ground, ink: stroke, path, width } = INKS[ink]
  return `<pattern id="${prefix}-${ink}" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6" fill="${ground}"/><path d="${path}" stroke="${stroke}" stroke-width="${width}"${width === 6 ? ` fill="${stroke}"` : ' fill="none"'}/></pattern>`
}

const drawLegend = ({ prefix, legend }: Drawing, y: number, width: number) => {
  let [x, at] = [MARGIN, y]
  let svg = ''
  for (const [ink, label] of legend) {
    const [line = ''] = wrap(label, 320, FONT, 1)
    const needed = 16 + BAND + widthOf(line) * FONT + 16
    if (x > MARGIN && x + needed > width - MARGIN) [x, at] = [MARGIN, at + 18]
    svg += `<rect x="${x}" y="${at}" width="16" height="12" fill="url(#${prefix}-${ink})" stroke="${INKS[ink].ink}"/>`
    svg += textLine(x + 22, at + 10, line)
    x += Math.ceil(needed)
  }
  return { svg, bottom: legend.length > 0 ? at + 18 : at }
}

/** Draws everything below the heading, from a vertical position. Returns the lowest position too. */
const drawBody = (drawing: Drawing, matrix: Matrix, y: number, width: number) => {
  const { texts } = drawing
  const legend = drawLegend(drawing, y, width)
  const top = legend.bottom + 8
  let svg = legend.svg + drawPhases(matrix, texts, top)
  let bottom = top + 24
  if (matrix.columns.length === 0) svg += textLine(MARGIN, top + 14, texts.empty)
  matrix.columns.forEach((column, n) => {
    const drawn = drawColumn(drawing, column, MARGIN + n * (COLUMN + GAP), top + 24)
    svg += drawn.svg
    bottom = Math.max(bottom, drawn.bottom)
  })
  svg += textLine(MARGIN, bottom + 14, texts.source(VERSION), ' fill="#5f6b7c"')
  return { svg, bottom: bottom + 14 }
}

/**
 * Draws a matrix as an SVG document without scripts, style sheets, fonts or pictures: for a file, inside a page, and
 * for print. Names may contain any characters.
 */
export function matrixSvg(matrix: Matrix, options: MatrixSvgOptions = {}): string {
  const { title = '', names = ['1', '2'], measure = 'quotes', language = 'en' } = options
  const texts = MATRIX_TEXTS[language]
  const prefix = options.idPrefix?.replace(/[^A-Za-z0-9-]/g, '') || 'matrix'
  const drawing = matrix.isComparison
    ? drawingOfSides(texts, prefix, names)
    : drawingOfShades(texts, prefix, matrix, measure)
  const heading = title.trim() === '' ? texts.title : `${texts.title}: ${title.trim()}`
  const width = Math.max(480, 2 * MARGIN + matrix.columns.length * (COLUMN + GAP) - GAP)
  const lines = wrap(heading, width - 2 * MARGIN, 18, TITLE_LINES)
  const body = drawBody(drawing, matrix, MARGIN + lines.length * 24 + 6, width)
  const height = body.bottom + MARGIN
  const used = cellsOf(matrix).filter(isUsed)
  const description = [
    used.length === 0 ? texts.empty : texts.used(used.length),
    ...used.map(drawing.about),
  ].join('. ')
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${prefix}-title ${prefix}-desc" font-family="Helvetica, Arial, sans-serif" font-size="${FONT}" fill="#1c2127">`,
    `<title id="${prefix}-title">${xml(heading)}</title>`,
    `<desc id="${prefix}-desc">${xml(description)}</desc>`,
    `<defs>${drawing.legend.map(([ink]) => drawPattern(prefix, ink)).join('')}</defs>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...lines.map((line, n) =>
      textLine(MARGIN, MARGIN + 18 + n * 24, line, ' font-size="18" font-weight="bold"'),
    ),
    body.svg,
    '</svg>\n',
  ].join('')
}
