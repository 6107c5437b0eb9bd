import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { CATEGORIES, LIMITS, REPORT_FILES, type ReportContent, reportContent } from '@iodine/contracts'
import { HtmlValidate } from 'html-validate'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import {
  defang,
  defangText,
  toErrorPage,
  toFiles,
  toIndexPage,
  toPage,
  toReportFeed,
  withNotices,
} from '../src/index.js'
import { contentOf } from './content.js'

const validator = new HtmlValidate({
  extends: ['html-validate:standard'],
  rules: { 'no-inline-style': 'error', 'long-title': 'off' },
})
const faultsOf = async (html: string) => {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${line}: ${ruleId}: ${message}`),
  )
}

const HOSTILE = [
  '</script><script>alert(1)</script>',
  ']]><svg onload=alert(1)>',
  '"><img src=x onerror=alert(1)>',
  'a\u202eb\u200b\u0000\ud800',
  '😀'.repeat(300),
  '--><style>*{}</style>',
]

/** JSON of reports has well-formed strings alone. */
const WELL_FORMED = HOSTILE.map(text => text.toWellFormed())

const parseXml = (text: string) => {
  const names: string[] = []
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name }) => names.push(name))
  parser.write(text).close()
  return names
}

const textOf = (content: ReportContent) =>
  new Map(toFiles(content).map(({ name, bytes }) => [name, Buffer.from(bytes).toString()]))

describe('the page', () => {
  it('is valid HTML without scripts, in both languages', async () => {
    for (const language of ['en', 'fr'] as const) {
      const page = toPage(contentOf({ language }), {
        latest: 2,
        replies: [{ from: 'Copy Ltd', text: 'We object.', at: '2026-11-28T08:00:00.000Z' }],
      })
      expect(await faultsOf(page)).toEqual([])
      expect(page.match(/<script/g)).toHaveLength(1)
      expect(page).toContain('<script type="application/ld+json">')
      expect(page).toContain('href="/reports/abcdefghijklmnop/v2"')
    }
    expect(await faultsOf(toErrorPage(410, { text: 'wrong' }))).toEqual([])
    const listed = {
      slug: 'abcdefghijklmnop',
      title: 'A & B',
      summary: 'c',
      n: 1,
      first_at: '2026-11-28T08:00:00.000Z',
      published_at: '2026-11-28T08:00:00.000Z',
    }
    expect(await faultsOf(toIndexPage([listed]))).toEqual([])
  })
  it('describes its data as Google requires, however short its texts are', () => {
    const page = toPage(contentOf({ title: 'A', summary: 'b' }), { latest: 1, replies: [] })
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(page) ?? []
    const [report, data] = JSON.parse(json)['@graph']
    expect(report).toMatchObject({ '@type': 'Report', headline: 'A', isBasedOn: { '@id': data['@id'] } })
    expect(data).toMatchObject({ '@type': 'Dataset', name: 'A' })
    expect(data.description).toBe('The indicators, evidence and DISARM techniques of the report “A”. b')
    expect(data.distribution.length).toBeGreaterThan(0)
  })
  it('shows hostile strings as text', async () => {
    for (const text of HOSTILE) {
      const content = contentOf({
        title: text,
        summary: text,
        aliases: [text],
        method: text,
        change: text,
        authors: [text],
        findings: [{ text, confidence: 'low', exhibits: [] }],
        attribution: { by: 'ours', text, grounds: text },
        references: [{ title: text, url: 'https://a.example/"><script>' }],
      })
      const page = toPage(content, { latest: null, replies: [{ from: text, text, at: content.made_at }] })
      expect(page.match(/<script/g)).toHaveLength(1)
      expect(page).not.toMatch(/<img|<style|onerror=alert\(1\)>|[\u202a-\u202e\u200b]/)
      expect(await faultsOf(page)).toEqual([])
    }
  })
  it('links no address of the campaign', () => {
    const page = toPage(contentOf())
    expect(page).not.toContain('https://copy.example')
    expect(page).toContain('hxxps://copy[.]example/page')
    expect(page).toContain('rel="noopener nofollow"')
    expect(page).not.toContain('javascript:')
  })
  it('describes the report and its data to machines', () => {
    const [, json = ''] =
      /<script type="application\/ld\+json">(.*)<\/script>/.exec(toPage(contentOf())) ?? []
    const [report, dataset] = JSON.parse(json)['@graph']
    expect(report).toMatchObject({ '@type': 'Report', headline: 'Copies of newspapers', version: '1' })
    expect(dataset['@type']).toBe('Dataset')
    expect(dataset.distribution.map(({ name }: { name: string }) => name)).toContain('report.stix.json')
  })
  it('is refused above 1 MiB', () => {
    const big = contentOf({ method: 'x'.repeat(1_048_576) })
    expect(() => toPage(big)).toThrow(RangeError)
  })
  it('has 500 indicators at most, and says so', () => {
    const [one] = contentOf().indicators
    const indicators = Array.from({ length: 501 }, (_, n) => ({
      ...one,
      uid: `u${n}`,
      value: `n${n}.example`,
    }))
    const page = toPage(contentOf({ indicators: indicators as ReportContent['indicators'] }))
    expect(page).toContain('500 of 501 are shown')
    expect(page).not.toContain('n500[.]example')
    expect(Buffer.byteLength(page)).toBeLessThan(250_000)
    expect(gzipSync(page).length).toBeLessThan(40_000)
  })
})

/** Files of published schemas, which are not part of this repository; optional. */
const { STIX_SCHEMAS = '', CSL_SCHEMA = '' } = process.env

it.runIf(CSL_SCHEMA)('the citation passes the schema of CSL JSON', async () => {
  const { Ajv } = await import('ajv')
  const check = new Ajv({ strict: false }).compile(JSON.parse(readFileSync(CSL_SCHEMA, 'utf8')))
  for (const title of ['A title', ...WELL_FORMED])
    for (const doi of [null, '10.1234/abc']) {
      const files = textOf(contentOf({ title, doi, authors: [title] }))
      expect([check(JSON.parse(files.get('cite.json') ?? '')), check.errors]).toEqual([true, null])
    }
})

it.runIf(STIX_SCHEMAS)('the bundle passes the published schemas of STIX 2.1', async () => {
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  const { default: formats } = await import('ajv-formats')
  const ajv = new Ajv2020({ strict: false, unicodeRegExp: false, formats: { 'idn-hostname': true } })
  formats.default(ajv, ['uri', 'ipv4', 'ipv6', 'date-time'])
  const ids = new Map<string, string>()
  for (const file of readdirSync(STIX_SCHEMAS, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json')) continue
    const schema = JSON.parse(readFileSync(`${STIX_SCHEMAS}/${file}`, 'utf8'))
    ajv.addSchema(schema)
    ids.set(schema.title, schema.$id)
  }
  const seen = new Set<string>()
  const [indicator] = contentOf().indicators as [ReportContent['indicators'][number]]
  for (const text of ['text', ...WELL_FORMED]) {
    const indicators = CATEGORIES.map((category, n) => ({
      ...{ ...indicator, category, description: text },
      ...{ uid: `507f1f77bcf86cd7994${10_000 + n}`, value: category === 'URL' ? 'https://a.example/' : text },
    }))
    const findings = [{ text, confidence: 'high' as const, exhibits: [1] }]
    const files = textOf(contentOf({ title: text, summary: text, indicators, findings }))
    for (const object of JSON.parse(files.get('report.stix.json') ?? '').objects) {
      const title = { narrative: 'core', text: 'cyber-observable-core' }[object.type as string] ?? object.type
      expect([object.type, ajv.validate(ids.get(title) ?? '', object), ajv.errors]).toEqual([
        object.type,
        true,
        null,
      ])
      seen.add(object.type)
    }
  }
  for (const type of ['report', 'note', 'indicator', 'campaign']) expect(seen).toContain(type)
})

describe('sections made of other content', () => {
  const [indicator] = contentOf().indicators as [ReportContent['indicators'][number]]
  const [exhibit] = contentOf().exhibits as [ReportContent['exhibits'][number]]
  const rowsOf = (page: string, id: string) => {
    const [section = ''] = page.split(`<section id="${id}"`).slice(1)
    const [shown = ''] = section.split('</section>')
    return [...shown.matchAll(/<tr><th scope="row">(.*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replace(/<\/t[hd]>/g, ' ')
        .replace(/<[^>]+>/g, '')
        .trim(),
    )
  }

  it('count first sightings and captures by day, month or year', () => {
    const page = (first: string, last: string) =>
      rowsOf(
        toPage(
          contentOf({
            indicators: [first, first, last].map(first_seen => ({ ...indicator, first_seen })),
            exhibits: [{ ...exhibit, captured_at: last.slice(0, 10) }],
          }),
        ),
        'timeline',
      )
    expect(page('2026-11-20T10:00:00.000Z', '2026-12-02T10:00:00.000Z')).toEqual([
      '2026-11-20 2 0',
      '2026-12-02 1 1',
    ])
    expect(page('2025-11-20T10:00:00.000Z', '2026-12-02T10:00:00.000Z')).toEqual([
      '2025-11 2 0',
      '2026-12 1 1',
    ])
    expect(page('1990-11-20T10:00:00.000Z', '2026-12-02T10:00:00.000Z')).toEqual(['1990 2 0', '2026 1 1'])
    expect(page('1000-11-20T10:00:00.000Z', '2026-12-02T10:00:00.000Z')).toEqual([])
  })
  it('join narratives of one canonical label, with at most three exhibits', () => {
    const triplet = (value: string, exhibits: number[]) => ({
      ...{ ...indicator, value, exhibits },
      category: 'NARRATIVE_TRIPLET' as const,
    })
    const page = toPage(
      contentOf({
        indicators: [
          triplet('fields feed moths', []),
          triplet('Mirrors heat lakes', [4, 1]),
          triplet('mirrors  heat lakes', [2]),
          triplet('Mirrors heat lakes', [3]),
        ],
      }),
    )
    expect(rowsOf(page, 'narratives')).toEqual(['Mirrors heat lakes 3 E1 E2 E3', 'fields feed moths 1'])
  })
  it('name the collectors of shared captures', () => {
    const page = toPage(contentOf({ exhibits: [{ ...exhibit, collector: 'iodine-collector/1.4.0' }] }))
    expect(page).toContain('Exhibits: 1, captured from 2026-11-20 to 2026-11-20.')
    expect(page).toContain('Collectors: iodine-collector/1.4.0.')
  })
  it('are the only change of a page with other notices', () => {
    for (const text of ['We object.', ...HOSTILE]) {
      const content = contentOf({ title: text, change: text, summary: '<!--/notices-->$&' })
      const notices = { latest: 2, replies: [{ from: text, text, at: content.made_at }] }
      expect(withNotices(toPage(content), content, notices)).toBe(toPage(content, notices))
    }
  })
})

describe('the files', () => {
  it('are the same bytes for the same content', () => {
    expect(toFiles(contentOf())).toEqual(toFiles(structuredClone(contentOf())))
  })
  it('contain the content, which its schema accepts', () => {
    const files = textOf(contentOf())
    expect(reportContent.parse(JSON.parse(files.get('report.json') ?? ''))).toEqual(contentOf())
    expect([...files.keys()]).toEqual(Object.keys(REPORT_FILES).filter(name => name !== 'manifest.json.sig'))
  })
  it('are a STIX report over objects that are all marked clear', () => {
    const bundle = JSON.parse(textOf(contentOf()).get('report.stix.json') ?? '')
    const ids = new Set(bundle.objects.map(({ id }: { id: string }) => id))
    expect(ids.size).toBe(bundle.objects.length)
    const markings = bundle.objects.flatMap(
      (each: { object_marking_refs?: string[] }) => each.object_marking_refs ?? [],
    )
    expect(new Set(markings).size).toBe(1)
    const report = bundle.objects.find(({ type }: { type: string }) => type === 'report')
    expect(report).toMatchObject({ report_types: ['campaign'], name: 'Copies of newspapers' })
    for (const object of bundle.objects)
      for (const [name, value] of Object.entries(object)) {
        const refs = name.endsWith('_refs') ? (value as string[]) : name.endsWith('_ref') ? [value] : []
        for (const ref of refs) expect(ids).toContain(ref)
      }
  })
  it('are a MISP event with an event report', () => {
    const { Event } = JSON.parse(textOf(contentOf()).get('report.misp.json') ?? '')
    expect(Event.EventReport[0]).toMatchObject({ name: 'Copies of newspapers', deleted: false })
    expect(Event.Tag).toContainEqual({ name: 'tlp:clear' })
  })
  it('are a table without formulas', () => {
    const csv = textOf(contentOf()).get('indicators.csv') ?? ''
    expect(csv).toContain("'=cmd")
    expect(csv).toContain('copy[.]example')
  })
  it('can be made of the most indicators and exhibits', { timeout: 60_000 }, () => {
    const [indicator] = contentOf().indicators as [ReportContent['indicators'][number]]
    const [exhibit] = contentOf().exhibits as [ReportContent['exhibits'][number]]
    const files = toFiles(
      contentOf({
        indicators: Array.from({ length: LIMITS.reportIndicatorsMax }, (_, n) => ({
          ...{ ...indicator, value: `copy-${n}.a-long-domain-name.example` },
          uid: `507f1f77bcf86cd799${String(n).padStart(6, '0')}`,
        })),
        exhibits: Array.from({ length: LIMITS.reportExhibitsMax }, (_, n) => ({ ...exhibit, n: n + 1 })),
      }),
    )
    for (const { name, bytes } of files)
      expect(gzipSync(bytes, { level: 1 }).length, name).toBeLessThan(LIMITS.reportFileCompressedBytes)
  })
  it('are citations with the version and its address', () => {
    const files = textOf(contentOf({ title: '100% {a} & b_c', doi: '10.1234/abc' }))
    expect(files.get('cite.bib')).toContain('title = {{100\\% \\{a\\} \\& b\\_c}}')
    expect(files.get('cite.ris')).toMatch(/^TY {2}- RPRT\r\n/)
    expect(files.get('cite.cff')).toContain('preferred-citation:\n  type: report')
    expect(JSON.parse(files.get('cite.json') ?? '')).toMatchObject([
      { type: 'report', DOI: '10.1234/abc', version: '1', issued: { 'date-parts': [[2026, 11, 28]] } },
    ])
  })
  it('contain a matrix that is well-formed XML', () => {
    expect(parseXml(textOf(contentOf({ title: HOSTILE[1] ?? '' })).get('matrix.svg') ?? '')[0]).toBe('svg')
  })
})

it('escapes titles in the feed', () => {
  const feed = toReportFeed(
    [
      {
        slug: 'abcdefghijklmnop',
        title: '</title><script>&',
        summary: ']]>',
        n: 1,
        first_at: '2026-11-28T08:00:00.000Z',
        published_at: '2026-11-28T08:00:00.000Z',
      },
    ],
    { name: 'Iodine', url: 'https://iodine.example' },
  )
  expect(parseXml(feed)).not.toContain('script')
})

it('defangs addresses in texts and leaves other text', () => {
  expect(defang('https://a.b.example/c?d=e@f')).toBe('hxxps://a[.]b[.]example/c?d=e[@]f')
  expect(defangText('see www.copy.example, 3.5 of it. Next')).toBe(
    'see www[.]copy[.]example, 3.5 of it. Next',
  )
})

// Changes with each text or layout of the files: then it is set again. Each version of Node must agree.
const SHA256_OF_ALL = '1623e96b38e56d859f16de919919a03179125b7fd2062fcc702e20e5704365b5'

it('gives the same bytes for the same content on each version of Node', () => {
  const all = createHash('sha256')
  for (const language of ['en', 'fr'] as const)
    for (const { name, bytes } of toFiles(contentOf({ language }))) all.update(name).update(bytes)
  expect(all.digest('hex')).toBe(SHA256_OF_ALL)
})
