import { saveFile } from '@iodine/ui'
import { type Numbers, numbersCsv } from '../model/chart'
import type { Drawing } from './draw'
import { inkOf, inkPatterns, svgElement } from './inks'

/** Texts that are written into a picture. */
export interface Caption {
  title: string
  period: string
  source: string
}

const WIDTH = 960
const MARGIN = 24
const LINE = 22
const PIXEL_RATIO = 2
const FONT = 'Inter, system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif'

const textAt = (x: number, y: number, content: string, size = 12, weight = 400) => {
  const text = svgElement('text', { x, y, 'font-size': size, 'font-weight': weight })
  text.textContent = content
  return text
}

/** Draws a chart with its title, period, legend and source, as an SVG document of its own. */
export function chartSvg(
  drawing: Drawing,
  { title, period, source }: Caption,
  series: readonly string[] = [],
): string {
  const prefix = 'ink'
  const plot = drawing({ width: WIDTH - 2 * MARGIN, prefix }) as SVGSVGElement
  for (const link of plot.querySelectorAll('a')) link.replaceWith(...link.childNodes)
  const legend = svgElement('g', {})
  let x = MARGIN
  series.forEach((name, n) => {
    legend.append(
      svgElement('rect', { x, y: MARGIN + 40, width: 16, height: 12, fill: inkOf(prefix, n) }),
      textAt(x + 22, MARGIN + 50, name),
    )
    x += 22 + name.length * 8 + 16
  })
  const top = MARGIN + 32 + (series.length > 0 ? LINE + 8 : 0)
  const plotHeight = Number(plot.getAttribute('height'))
  plot.setAttribute('x', String(MARGIN))
  plot.setAttribute('y', String(top))
  plot.setAttribute('font-family', FONT)
  plot.setAttribute('font-size', '12')
  const height = top + plotHeight + LINE + MARGIN
  const whole = svgElement('svg', {
    width: WIDTH,
    height,
    viewBox: `0 0 ${WIDTH} ${height}`,
    'font-family': FONT,
    fill: '#1c2127',
    color: '#1c2127',
  })
  whole.append(
    inkPatterns(prefix),
    svgElement('rect', { width: WIDTH, height, fill: '#ffffff' }),
    textAt(MARGIN, MARGIN + 8, title, 16, 600),
    textAt(MARGIN, MARGIN + 28, period),
    legend,
    plot,
    textAt(MARGIN, height - MARGIN, `Source: ${source}`),
  )
  return new XMLSerializer().serializeToString(whole)
}

/** Returns the name of a chart's file: 'iods-per-day_2026-11-01_2026-11-28.svg'. */
const fileName = ({ title, period }: Caption, extension: string) =>
  `${`${title} ${period}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')}.${extension}`

export const saveNumbers = (numbers: Numbers, caption: Caption): void =>
  saveFile(fileName(caption, 'csv'), new Blob([numbersCsv(numbers)], { type: 'text/csv' }))

export const saveSvg = (svg: string, caption: Caption): void =>
  saveFile(fileName(caption, 'svg'), new Blob([svg], { type: 'image/svg+xml' }))

/** Saves an SVG document as a PNG at a pixel ratio of 2. Rejects if the browser cannot draw it. */
export async function savePng(svg: string, caption: Caption): Promise<void> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const { naturalWidth: width, naturalHeight: height } = image
    const canvas = document.createElement('canvas')
    canvas.width = width * PIXEL_RATIO
    canvas.height = height * PIXEL_RATIO
    const context = canvas.getContext('2d')
    if (!context) throw new Error('No canvas context')
    context.scale(PIXEL_RATIO, PIXEL_RATIO)
    context.drawImage(image, 0, 0, width, height)
    const png = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'))
    if (!png) throw new Error('The image is too large')
    saveFile(fileName(caption, 'png'), png)
  } finally {
    URL.revokeObjectURL(url)
  }
}
