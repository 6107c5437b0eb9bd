import type { ReportContent } from '@iodine/contracts'
import { escapeXml } from './text.js'
import type { PageTexts } from './texts.js'

/** What was seen in a day, month or year. */
export interface Period {
  /** `2026-11-20`, `2026-11` or `2026`. */
  at: string
  indicators: number
  exhibits: number
}

/** Most periods of the drawing; longer times have larger periods. */
const PERIODS_MAX = 62
const UNITS = { day: 10, month: 7, year: 4 } as const
type Unit = keyof typeof UNITS
const [WIDTH, HEIGHT, BASE, TOP] = [720, 190, 150, 24]

const next = (at: string, unit: Unit): string => {
  const date = new Date(`${at}${'-01-01'.slice(at.length - 4)}T00:00:00.000Z`)
  if (unit === 'day') date.setUTCDate(date.getUTCDate() + 1)
  else if (unit === 'month') date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCFullYear(date.getUTCFullYear() + 1)
  return date.toISOString().slice(0, UNITS[unit])
}

/** Returns all periods from the first to the last time; null if there are too many. */
const rangeOf = (first: string, last: string, unit: Unit): string[] | null => {
  const range: string[] = []
  for (let at = first.slice(0, UNITS[unit]); at <= last.slice(0, UNITS[unit]); at = next(at, unit)) {
    range.push(at)
    if (range.length > PERIODS_MAX) return null
  }
  return range
}

/** Returns the numbers of indicators first seen, and of exhibits captured, in each period without gaps. */
export const periodsOf = ({
  indicators,
  exhibits,
}: Pick<ReportContent, 'indicators' | 'exhibits'>): Period[] => {
  const seen = indicators.map(each => each.first_seen)
  const captured = exhibits.map(each => each.captured_at)
  const times = [...seen, ...captured].filter(at => /^\d{4}-\d\d-\d\d/.test(at)).sort()
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return []
  for (const unit of ['day', 'month', 'year'] as const) {
    const range = rangeOf(first, last, unit)
    if (!range) continue
    const periods = new Map(range.map(at => [at, { at, indicators: 0, exhibits: 0 }]))
    for (const [kind, all] of [
      ['indicators', seen],
      ['exhibits', captured],
    ] as const)
      for (const at of all) {
        const period = periods.get(at.slice(0, UNITS[unit]))
        if (period) period[kind] += 1
      }
    return [...periods.values()]
  }
  return []
}

/** Returns the timeline as an SVG that is readable in black and white. */
export const timelineSvg = (periods: readonly Period[], t: PageTexts): string => {
  const most = Math.max(1, ...periods.flatMap(({ indicators, exhibits }) => [indicators, exhibits]))
  const step = (WIDTH - 40) / periods.length
  const bar = Math.max(1, Math.min(18, step / 2 - 1))
  const draw = (count: number, x: number, fill: string) => {
    const height = Math.round(((BASE - TOP) * count) / most)
    return count === 0
      ? ''
      : `<rect x="${x.toFixed(1)}" y="${BASE - height}" width="${bar.toFixed(1)}" height="${height}" fill="${fill}" stroke="#1c2127"/>`
  }
  const bars = periods.map(({ indicators, exhibits }, n) => {
    const x = 30 + n * step
    return draw(indicators, x, '#1c2127') + draw(exhibits, x + bar, 'url(#timeline-lines)')
  })
  const [first, last] = [periods[0]?.at ?? '', periods.at(-1)?.at ?? '']
  const total = (kind: 'indicators' | 'exhibits') => periods.reduce((sum, each) => sum + each[kind], 0)
  const description = `${first} – ${last}. ${t.timelineIndicators}: ${total('indicators')}. ${t.timelineExhibits}: ${total('exhibits')}.`
  const text = (x: number, y: number, content: string, anchor = 'start') =>
    `<text x="${x}" y="${y}" text-anchor="${anchor}">${escapeXml(content)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="timeline-svg-title timeline-svg-desc" font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#1c2127">`,
    `<title id="timeline-svg-title">${t.timeline}</title><desc id="timeline-svg-desc">${escapeXml(description)}</desc>`,
    '<defs><pattern id="timeline-lines" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="4" fill="#ffffff"/><path d="M0 0V4" stroke="#1c2127" stroke-width="2"/></pattern></defs>',
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<path d="M28 ${TOP}V${BASE}H${WIDTH - 8}" fill="none" stroke="#1c2127"/>`,
    text(24, TOP + 4, String(most), 'end'),
    ...bars,
    text(28, BASE + 16, first),
    periods.length > 1 ? text(WIDTH - 8, BASE + 16, last, 'end') : '',
    `<rect x="28" y="${HEIGHT - 16}" width="12" height="12" fill="#1c2127"/>`,
    text(46, HEIGHT - 6, t.timelineIndicators),
    `<rect x="${WIDTH / 2}" y="${HEIGHT - 16}" width="12" height="12" fill="url(#timeline-lines)" stroke="#1c2127"/>`,
    text(WIDTH / 2 + 18, HEIGHT - 6, t.timelineExhibits),
    '</svg>',
  ].join('')
}
