import { LIMITS, type ReportContent } from '@iodine/contracts'
import { findTechnique, matrixOf, matrixSvg } from '@iodine/exchange/disarm'
import { narrativesOf } from './narratives.js'
import { dayElement, defang, defangText, escapeXml, exhibitLinks, oneLine, shownValue } from './text.js'
import type { PageTexts } from './texts.js'
import { periodsOf, timelineSvg } from './timeline.js'

/** Returns a table in a region that scrolls; the first cell of a row is its heading. Cells are HTML. */
const table = (
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  ids: readonly string[] = [],
): string => {
  const body = rows.map(([first = '', ...cells], at) => {
    const id = ids[at] === undefined ? '' : ` id="${ids[at]}"`
    return `<tr${id}><th scope="row">${first}</th>${cells.map(cell => `<td>${cell}</td>`).join('')}</tr>`
  })
  return `<div class="table" role="group" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${head.map(cell => `<th scope="col">${cell}</th>`).join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`
}

/** Returns the table of exhibits. */
export const exhibitsSection = ({ exhibits }: ReportContent, t: PageTexts): string =>
  exhibits.length === 0
    ? ''
    : `${table(
        t.exhibits,
        [t.exhibit, t.quote, t.source, t.captured, t.collector, t.hash, t.seal],
        exhibits.map(each => [
          `E${each.n}`,
          `<q>${escapeXml(oneLine(defangText(each.quote)))}</q>`,
          `<span class="address">${escapeXml(defang(each.url))}</span>`,
          dayElement(each.captured_at),
          escapeXml(each.collector ?? '–'),
          `<code>${each.manifest_hash}</code>`,
          each.seq === null ? '–' : String(each.seq),
        ]),
        exhibits.map(({ n }) => `E${n}`),
      )}\n<p>${t.verify}</p>`

/** Returns the facts of the method that the exhibits state: their number, days and collectors. */
export const methodFacts = ({ exhibits }: ReportContent, t: PageTexts): string => {
  const days = exhibits.map(({ captured_at }) => captured_at.slice(0, 10)).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return ''
  const collectors = [...new Set(exhibits.flatMap(({ collector }) => collector ?? []))].sort()
  const named =
    collectors.length > 0 ? ` ${t.methodCollectors}: ${collectors.map(escapeXml).join(', ')}.` : ''
  return `<p class="meta">${t.methodExhibits(exhibits.length, escapeXml(first), escapeXml(last))}${named}</p>`
}

/** Returns the timeline as a drawing and a table. */
export const timelineSection = (content: ReportContent, t: PageTexts): string => {
  const periods = periodsOf(content)
  if (periods.length === 0) return ''
  const rows = periods
    .filter(({ indicators, exhibits }) => indicators + exhibits > 0)
    .map(({ at, indicators, exhibits }) => [
      `<time datetime="${at}">${at}</time>`,
      String(indicators),
      String(exhibits),
    ])
  return [
    `<div class="matrix" role="group" tabindex="0" aria-label="${t.timeline}">${timelineSvg(periods, t)}</div>`,
    table(t.timeline, [t.period, t.timelineIndicators, t.timelineExhibits], rows),
  ].join('\n')
}

/** Returns the table of narratives, with their numbers and some exhibits. */
export const narrativesSection = (content: ReportContent, t: PageTexts): string => {
  const rows = narrativesOf(content)
    .slice(0, LIMITS.reportPageIndicators)
    .map(({ label, count, exhibits }) => [
      `<bdi>${escapeXml(oneLine(defangText(label)))}</bdi>`,
      String(count),
      exhibitLinks(exhibits),
    ])
  return rows.length === 0 ? '' : table(t.narratives, [t.narrative, t.count, t.exhibits], rows)
}

/** Returns the numbers of indicators by category, with those that are held back. */
export const countsSection = ({ indicators, held_back }: ReportContent, t: PageTexts): string => {
  const counts = new Map<keyof PageTexts['categories'], [shown: number, held: number]>()
  for (const { category } of indicators) {
    const [shown, held] = counts.get(category) ?? [0, 0]
    counts.set(category, [shown + 1, held])
  }
  for (const { category, count } of held_back) {
    const [shown, held] = counts.get(category) ?? [0, 0]
    counts.set(category, [shown, held + count])
  }
  if (counts.size === 0) return ''
  const rows = [...counts].map(([category, [shown, held]]) => [
    t.categories[category],
    String(shown + held),
    String(held),
  ])
  return `${table(t.channels, [t.kind, t.count, t.heldBack], rows)}\n<p>${t.heldBackNote}</p>`
}

/** Returns the matrix of techniques and their table. */
export const matrixSection = (
  { techniques, title, language, disarm }: ReportContent,
  t: PageTexts,
): string => {
  if (techniques.length === 0) return ''
  const matrix = matrixOf(
    techniques.map(({ id, quotes }) => ({ id, quotes })),
    { isUsedOnly: true },
  )
  const rows = techniques.map(({ id, exhibits, quotes }) => [
    id,
    escapeXml(findTechnique(id)?.name ?? ''),
    String(quotes),
    exhibitLinks(exhibits),
  ])
  return [
    `<div class="matrix" role="group" tabindex="0" aria-label="${t.techniques}">${matrixSvg(matrix, { title, language, idPrefix: 'matrix' })}</div>`,
    table(t.techniques, ['DISARM', t.technique, t.quotes, t.exhibits], rows),
    `<p>${t.techniquesNote(escapeXml(disarm))}</p>`,
  ].join('\n')
}

/** Returns the sums of the votes. */
export const votesSection = ({ indicators }: ReportContent, t: PageTexts): string => {
  const sum = (side: 'for' | 'against') => indicators.reduce((total, { votes }) => total + votes[side], 0)
  const [up, down] = [sum('for'), sum('against')]
  return up + down === 0
    ? ''
    : `<p>${t.votesFor}: ${up}. ${t.votesAgainst}: ${down}.</p><p>${t.votesNote}</p>`
}

/** Returns the table of indicators, up to the limit of a page. */
export const annexSection = ({ indicators }: ReportContent, t: PageTexts): string => {
  if (indicators.length === 0) return ''
  const shown = indicators.slice(0, LIMITS.reportPageIndicators)
  const note =
    shown.length < indicators.length ? `<p>${t.annexMore(shown.length, indicators.length)}</p>` : ''
  return `<div class="annex">${note}${table(
    t.annex,
    [t.value, t.kind, t.first, t.last, t.exhibits],
    shown.map(each => [
      `<bdi>${escapeXml(oneLine(shownValue(each)))}</bdi>`,
      t.categories[each.category],
      dayElement(each.first_seen),
      dayElement(each.last_seen),
      exhibitLinks(each.exhibits),
    ]),
  )}</div>`
}
