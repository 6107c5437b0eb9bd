import { LIMITS, REPORT_FILES, type ReportContent, type ReportNotices } from '@iodine/contracts'
import { apaText, authorsOf, toJsonLd } from './cite.js'
import { LINKED_FILES } from './data-files.js'
import { documentOf } from './document.js'
import {
  annexSection,
  countsSection,
  exhibitsSection,
  matrixSection,
  methodFacts,
  narrativesSection,
  timelineSection,
  votesSection,
} from './sections.js'
import { dayElement, defangText, escapeXml, exhibitLinks, oneLine, paragraphs, scriptJson } from './text.js'
import { CONFIDENCE_CLASS, LICENCES, type PageTexts, textsOf } from './texts.js'

/** Notices of a version without replies that is the latest. */
export const NO_NOTICES: ReportNotices = { latest: null, replies: [] }

const section = (id: string, title: string, body: string) =>
  body === ''
    ? ''
    : `<section id="${id}" aria-labelledby="${id}-title">\n<h2 id="${id}-title">${title}</h2>\n${body}\n</section>`

/** What of a version its notices name. */
export type NoticedVersion = Pick<ReportContent, 'slug' | 'n' | 'language' | 'change'>

const noticesSection = (
  content: NoticedVersion,
  { latest, replies }: ReportNotices,
  t: PageTexts,
): string => {
  const newer =
    latest === null || latest === content.n
      ? ''
      : `<p class="notice newer"><a href="/reports/${content.slug}/v${latest}">${t.newer(latest)}</a></p>`
  const change =
    content.change.trim() === ''
      ? ''
      : `<div class="notice change"><h3>${t.corrected}</h3>${paragraphs(content.change)}</div>`
  const shown = replies.map(
    ({ from, text, at }) =>
      `<div class="notice reply"><h3>${escapeXml(t.reply(oneLine(from)))}</h3><p>${dayElement(at)}</p>${paragraphs(text)}</div>`,
  )
  return section('notices', t.notices, newer + change + shown.join('\n'))
}

const findingsSection = ({ findings }: ReportContent, t: PageTexts): string =>
  section(
    'findings',
    t.findings,
    `<ol>${findings
      .map(
        ({ text, confidence, exhibits }) =>
          `<li class="finding ${CONFIDENCE_CLASS[confidence]}"><p class="confidence">${t.confidence[confidence]}</p>${paragraphs(text)}${exhibits.length > 0 ? `<p>${t.exhibits}: ${exhibitLinks(exhibits)}</p>` : ''}</li>`,
      )
      .join('\n')}</ol>`,
  )

const attributionSection = ({ attribution }: ReportContent, t: PageTexts): string =>
  section(
    'attribution',
    t.attribution,
    attribution === null
      ? `<p>${t.notAttributed}</p>`
      : `<p class="basis">${t.attributedBy[attribution.by]}</p>${paragraphs(attribution.text)}<h3>${t.grounds}</h3>${paragraphs(attribution.grounds)}`,
  )

const endSection = (content: ReportContent, t: PageTexts): string => {
  const { references, site, licence, url } = content
  const links = references.map(
    each =>
      `<li><a href="${escapeXml(each.url)}" rel="noopener nofollow">${escapeXml(oneLine(each.title))}</a></li>`,
  )
  const files = Object.keys(REPORT_FILES).map(
    name => `<li><a href="/reports/${content.slug}/v${content.n}/${name}">${name}</a></li>`,
  )
  const licenceLink = `<a href="${LICENCES[licence].url}" rel="license">${LICENCES[licence].name}</a>`
  return [
    section('references', t.references, links.length > 0 ? `<ol>${links.join('')}</ol>` : `<p>${t.none}</p>`),
    section('cite', t.cite, `<p class="citation">${escapeXml(apaText(content))}</p>`),
    section('data', t.files, `<ul class="files">${files.join('')}</ul>`),
    section(
      'end',
      t.correct,
      `<p>${t.correctNote} ${escapeXml(site.contact)}</p><p>${t.permalink}: <a href="${escapeXml(url)}">${escapeXml(url)}</a></p><p>${t.licence}: ${licenceLink}. ${t.quotesLicence}</p><p>${t.legal}: ${escapeXml(site.legal_notice)}</p>`,
    ),
  ].join('\n')
}

const headOf = (content: ReportContent): string => {
  const { url, slug, n, site, summary, title } = content
  const base = `/reports/${slug}/v${n}`
  const description = [...oneLine(defangText(summary))].slice(0, 200).join('')
  const meta = [
    ['og:type', 'article'],
    ['og:title', oneLine(title)],
    ['og:url', url],
    ['og:image', `${site.url}/icon.svg`],
    ['og:description', description],
  ].map(([property, value]) => `<meta property="${property}" content="${escapeXml(value as string)}">`)
  const twins = LINKED_FILES.map(
    ({ name, type }) => `<link rel="alternate" type="${escapeXml(type)}" href="${base}/${name}">`,
  )
  return [
    `<meta name="description" content="${escapeXml(description)}">`,
    `<link rel="canonical" href="${escapeXml(`${site.url}/reports/${slug}`)}">`,
    `<link rel="cite-as" href="${escapeXml(url)}">`,
    `<link rel="latest-version" href="/reports/${slug}">`,
    n > 1 ? `<link rel="predecessor-version" href="/reports/${slug}/v${n - 1}">` : '',
    ...twins,
    ...meta,
    `<script type="application/ld+json">${scriptJson(toJsonLd(content, LINKED_FILES))}</script>`,
  ]
    .filter(Boolean)
    .join('\n')
}

const headerOf = (content: ReportContent, t: PageTexts): string => {
  const { title, aliases, n, made_at, url, doi } = content
  const rows: [string, string][] = [
    ...(aliases.length > 0
      ? [
          [t.otherNames, aliases.map(each => `<bdi>${escapeXml(oneLine(each))}</bdi>`).join(', ')] as [
            string,
            string,
          ],
        ]
      : []),
    [
      t.authors,
      authorsOf(content)
        .map(each => `<bdi>${escapeXml(each)}</bdi>`)
        .join(', '),
    ],
    [t.date, dayElement(made_at)],
    [t.permalink, `<a href="${escapeXml(url)}">${escapeXml(url)}</a>`],
    ...(doi === null ? [] : [['DOI', escapeXml(doi)] as [string, string]]),
  ]
  return `<p class="label">TLP:CLEAR</p>
<p class="meta">${t.report} · ${t.version(n)}</p>
<h1><bdi>${escapeXml(oneLine(title))}</bdi></h1>
<dl class="meta">${rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>`
}

// Content cannot contain these: `<` is escaped.
const NOTICES_START = '<!--notices-->'
const NOTICES_END = '<!--/notices-->'

/** Returns a version's page with other notices. Only the section of notices is rendered. */
export const withNotices = (page: string, version: NoticedVersion, notices: ReportNotices): string => {
  const [start, end] = [page.indexOf(NOTICES_START) + NOTICES_START.length, page.indexOf(NOTICES_END)]
  return page.slice(0, start) + noticesSection(version, notices, textsOf(version.language)) + page.slice(end)
}

/**
 * Returns the page of a report: HTML without scripts. The same content and notices give the same bytes.
 * @throws RangeError for a page of more than 1 MiB
 */
export const toPage = (content: ReportContent, notices: ReportNotices = NO_NOTICES): string => {
  const t = textsOf(content.language)
  const main = [
    headerOf(content, t),
    NOTICES_START + noticesSection(content, notices, t) + NOTICES_END,
    section('summary', t.summary, `<div class="lede">${paragraphs(content.summary)}</div>`),
    findingsSection(content, t),
    section('unknown', t.unknown, paragraphs(content.unknown)),
    section('method', t.method, paragraphs(content.method) + methodFacts(content, t)),
    section('timeline', t.timeline, timelineSection(content, t)),
    section('channels', t.channels, countsSection(content, t)),
    section('narratives', t.narratives, narrativesSection(content, t)),
    section('techniques', t.techniques, matrixSection(content, t)),
    attributionSection(content, t),
    section('exhibits', t.exhibits, exhibitsSection(content, t)),
    section('votes', t.votes, votesSection(content, t)),
    section('annex', t.annex, annexSection(content, t)),
    endSection(content, t),
  ]
  const page = documentOf({
    language: content.language,
    title: oneLine(content.title),
    head: headOf(content),
    address: content.url,
    main: main.filter(Boolean).join('\n'),
  })
  if (Buffer.byteLength(page) > LIMITS.reportPageBytes) throw new RangeError('The page is too large')
  return page
}
