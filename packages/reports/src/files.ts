import { createHash } from 'node:crypto'
import {
  LIMITS,
  REPORT_FILES,
  type ReportContent,
  type ReportFileName,
  type ReportManifest,
} from '@iodine/contracts'
import { canonicalJson } from '@iodine/evidence'
import { toBibtex, toCff, toCsl, toRis } from './cite.js'
import { toIndicatorsCsv, toMatrix, toMisp, toStix } from './data-files.js'
import { toMarkdown } from './markdown.js'
import { toPage } from './page.js'

/** A file of a version, before its manifest is signed. */
export interface ReportFile {
  name: ReportFileName
  type: string
  bytes: Uint8Array
  sha256: string
}

const WRITERS: Partial<Record<ReportFileName, (content: ReportContent) => string>> = {
  'report.json': content => `${canonicalJson(content)}\n`,
  'report.stix.json': toStix,
  'report.misp.json': toMisp,
  'indicators.csv': toIndicatorsCsv,
  'report.md': toMarkdown,
  'matrix.svg': toMatrix,
  'cite.bib': toBibtex,
  'cite.ris': toRis,
  'cite.cff': toCff,
  'cite.json': toCsl,
  'page.html': content => toPage(content),
}

const fileOf = (name: ReportFileName, text: string): ReportFile => {
  const bytes = Buffer.from(text)
  if (bytes.length > LIMITS.reportFileBytes) throw new RangeError(`${name} is too large`)
  return { name, type: REPORT_FILES[name], bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/**
 * Returns the files of a version, from its content alone; the last is the manifest, whose hash is what a reviewer
 * approves. The same content gives the same bytes.
 * @throws RangeError for a file above its limit
 */
export const toFiles = (content: ReportContent): ReportFile[] => {
  const files = (Object.keys(REPORT_FILES) as ReportFileName[]).flatMap(name => {
    const write = WRITERS[name]
    return write ? [fileOf(name, write(content))] : []
  })
  const manifest: ReportManifest = {
    v: 1,
    report: content.slug,
    n: content.n,
    files: files.map(({ name, bytes, sha256 }) => ({ name, bytes: bytes.length, sha256 })),
  }
  return [...files, fileOf('manifest.json', `${canonicalJson(manifest)}\n`)]
}
