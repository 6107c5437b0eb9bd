import type { ReportContent, ReportLanguage } from '@iodine/contracts'
import type { Graph, Organization, Person } from 'schema-dts'
import { defangText, oneLine } from './text.js'
import { LICENCES, textsOf } from './texts.js'

type Cited = Pick<
  ReportContent,
  'authors' | 'language' | 'title' | 'n' | 'made_at' | 'site' | 'url' | 'doi' | 'licence' | 'summary' | 'slug'
>

/** Returns the names of a report's authors, or of the team. */
export const authorsOf = ({ authors, language }: Pick<Cited, 'authors' | 'language'>): string[] =>
  authors.length > 0 ? authors.map(oneLine) : [textsOf(language).team]

const dayOf = ({ made_at }: Pick<Cited, 'made_at'>) => made_at.slice(0, 10)

// Not by Intl: its texts differ between versions of Node, but a report's bytes do not.
const MONTHS: Record<ReportLanguage, string> = {
  en: 'January February March April May June July August September October November December',
  fr: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
}

/** Returns a date in words: `28 November 2026`. */
const longDate = (time: string, language: ReportLanguage): string =>
  `${Number(time.slice(8, 10))} ${MONTHS[language].split(' ')[Number(time.slice(5, 7)) - 1]} ${time.slice(0, 4)}`

/** Returns a citation in APA style as text. */
export const apaText = (content: Cited): string => {
  const { title, n, site, url, doi, language } = content
  const names = authorsOf(content).join(', ')
  const day = longDate(content.made_at, language)
  const address = doi === null ? url : `https://doi.org/${doi}`
  return `${names} (${day}). ${oneLine(title)} (${textsOf(language).version(n)}). ${oneLine(site.name)}. ${address}`
}

const TEX: Record<string, string> = {
  '\\': '\\textbackslash{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
}
const tex = (text: string): string =>
  oneLine(text).replace(/[\\~^{}$&#%_]/g, character => TEX[character] ?? `\\${character}`)

/** Returns a citation for BibTeX. */
export const toBibtex = (content: Cited): string => {
  const { slug, n, title, site, url, doi } = content
  const fields = {
    author: authorsOf(content)
      .map(name => `{${tex(name)}}`)
      .join(' and '),
    title: `{${tex(title)}}`,
    institution: tex(site.name),
    number: `Version ${n}`,
    year: content.made_at.slice(0, 4),
    month: String(Number(content.made_at.slice(5, 7))),
    url,
    ...(doi !== null && { doi }),
  }
  const lines = Object.entries(fields).map(([name, value]) => `  ${name} = {${value}},\n`)
  return `@techreport{iodine-${slug}-v${n},\n${lines.join('')}}\n`
}

/** Returns a citation in the RIS format. */
export const toRis = (content: Cited): string => {
  const { title, site, url, doi, n, summary, language } = content
  const lines: [string, string][] = [
    ['TY', 'RPRT'],
    ...authorsOf(content).map((name): [string, string] => ['AU', name]),
    ['TI', oneLine(title)],
    ['PB', oneLine(site.name)],
    ['PY', content.made_at.slice(0, 4)],
    ['DA', dayOf(content).replaceAll('-', '/')],
    ['ET', `Version ${n}`],
    ['LA', language],
    ['AB', oneLine(defangText(summary))],
    ['UR', url],
    ...(doi === null ? [] : [['DO', doi] as [string, string]]),
    ['ER', ''],
  ]
  return lines.map(([tag, value]) => `${tag}  - ${value}\r\n`).join('')
}

/** Returns a string of YAML in double quotes, which JSON's strings are. */
const yaml = (text: string): string => JSON.stringify(oneLine(text))

/** Returns a citation file (CFF 1.2.0). */
export const toCff = (content: Cited): string => {
  const { title, n, site, url, doi, licence } = content
  const authors = (indent: string) =>
    authorsOf(content)
      .map(name => `${indent}- name: ${yaml(name)}\n`)
      .join('')
  return [
    'cff-version: 1.2.0\n',
    'message: "Please cite this report as below."\n',
    'type: dataset\n',
    `title: ${yaml(title)}\n`,
    'authors:\n',
    authors('  '),
    `version: "${n}"\n`,
    `date-released: "${dayOf(content)}"\n`,
    `license: ${licence}\n`,
    `url: ${yaml(url)}\n`,
    ...(doi === null ? [] : [`doi: ${yaml(doi)}\n`]),
    'preferred-citation:\n',
    '  type: report\n',
    `  title: ${yaml(title)}\n`,
    '  authors:\n',
    authors('    '),
    `  institution:\n    name: ${yaml(site.name)}\n`,
    `  date-released: "${dayOf(content)}"\n`,
    `  url: ${yaml(url)}\n`,
  ].join('')
}

/** Returns a citation as CSL JSON. */
export const toCsl = (content: Cited): string => {
  const { slug, n, title, site, url, doi, language } = content
  const [year, month, day] = dayOf(content).split('-').map(Number)
  const item = {
    id: `iodine-${slug}-v${n}`,
    type: 'report',
    title: oneLine(title),
    author: authorsOf(content).map(literal => ({ literal })),
    issued: { 'date-parts': [[year, month, day]] },
    publisher: oneLine(site.name),
    version: String(n),
    language,
    URL: url,
    ...(doi !== null && { DOI: doi }),
  }
  return `${JSON.stringify([item], null, 2)}\n`
}

/**
 * Returns schema.org's description of a report and its data. Google requires 50 to 5,000 characters to describe a dataset
 * (Search Central, "Dataset structured data").
 */
export const toJsonLd = (content: Cited, files: readonly { name: string; type: string }[]): Graph => {
  const { title, n, url, site, licence, summary, language } = content
  const publisher: Organization = { '@type': 'Organization', name: oneLine(site.name), url: site.url }
  const author = authorsOf(content).map((name): Organization | Person => ({
    '@type': content.authors.length > 0 ? 'Person' : 'Organization',
    name,
  }))
  const common = {
    name: oneLine(title),
    inLanguage: language,
    version: String(n),
    license: LICENCES[licence].url,
    publisher,
  } as const
  const description = oneLine(defangText(summary))
  return {
    '@context': 'https://schema.org',
    '@graph': [
      {
        '@type': 'Report',
        '@id': url,
        url,
        headline: oneLine(title),
        reportNumber: `${content.slug}-v${n}`,
        datePublished: content.made_at,
        creativeWorkStatus: 'Published',
        author,
        isBasedOn: { '@id': `${url}#data` },
        description,
        ...common,
      },
      {
        '@type': 'Dataset',
        '@id': `${url}#data`,
        url,
        creator: author,
        description: `${textsOf(language).dataOf(oneLine(title))} ${description}`,
        distribution: files.map(({ name, type }) => ({
          '@type': 'DataDownload',
          name,
          encodingFormat: type,
          contentUrl: `${url}/${name}`,
        })),
        ...common,
      },
    ],
  }
}
