import { documentOf } from './document.js'
import { escapeXml, oneLine, paragraphs } from './text.js'
import { textsOf } from './texts.js'

/** A published report in lists. */
export interface ListedReport {
  slug: string
  title: string
  summary: string
  n: number
  first_at: string
  published_at: string
}

/** Returns the list of published reports. */
export const toIndexPage = (reports: readonly ListedReport[]): string => {
  const t = textsOf('en')
  const items = reports.map(
    ({ slug, title, n, published_at, summary }) =>
      `<li><h2><a href="/reports/${slug}"><bdi>${escapeXml(oneLine(title))}</bdi></a></h2><p class="meta">${t.version(n)} · <time datetime="${published_at}">${published_at.slice(0, 10)}</time></p>${paragraphs(summary)}</li>`,
  )
  const list = items.length > 0 ? `<ul class="reports">${items.join('\n')}</ul>` : `<p>${t.none}</p>`
  return documentOf({
    language: 'en',
    title: t.index,
    head: '<link rel="alternate" type="application/atom+xml" href="/reports/feed.xml">',
    main: `<h1>${t.index}</h1>\n${list}\n<p><a href="/reports/feed.xml">${t.feed}</a></p>`,
  })
}

/** Returns the Atom feed (RFC 4287) of published reports. */
export const toReportFeed = (
  reports: readonly ListedReport[],
  site: { name: string; url: string },
): string => {
  const updated =
    reports
      .map(({ published_at }) => published_at)
      .sort()
      .at(-1) ?? '1970-01-01T00:00:00.000Z'
  const entries = reports.map(
    ({ slug, title, n, first_at, published_at, summary }) => `<entry>
<id>${escapeXml(site.url)}/reports/${slug}</id>
<title type="text">${escapeXml(oneLine(title))}</title>
<link rel="alternate" type="text/html" href="${escapeXml(site.url)}/reports/${slug}/v${n}"/>
<published>${first_at}</published>
<updated>${published_at}</updated>
<summary type="text">${escapeXml(oneLine(summary))}</summary>
</entry>`,
  )
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(site.url)}/reports</id>
<title type="text">${escapeXml(oneLine(site.name))}: published reports</title>
<author><name>${escapeXml(oneLine(site.name))}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeXml(site.url)}/reports/feed.xml"/>
<link rel="alternate" type="text/html" href="${escapeXml(site.url)}/reports"/>
<updated>${updated}</updated>
${entries.join('\n')}
</feed>
`
}
