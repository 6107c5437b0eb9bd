import type { Checkpoint, InclusionProof, Manifest, ManifestBlob, Seal } from '@iodine/contracts'
import { strFromU8, strToU8, type Zippable, zipSync } from 'fflate'
import { canonicalJson, concat, sha256Hex } from '../hash.js'
import { pointerValue, selectorsOf } from '../quotes.js'
import { warcRecord } from './warc.js'

export const ARCHIVE = 'archive/data.warc.gz'
export const INDEX = 'indexes/index.cdx'
export const PAGES = 'pages/pages.jsonl'
export const MANIFEST = 'iodine/manifest.json'
export const SEAL = 'iodine/seal.json'
export const EVIDENCE = 'iodine/evidence.json'
export const PACKAGE = 'datapackage.json'
export const DIGEST = 'datapackage-digest.json'
/** All files, in their order. */
export const FILES = [ARCHIVE, INDEX, PAGES, MANIFEST, SEAL, EVIDENCE, PACKAGE, DIGEST] as const

/** A key that signs the log: SubjectPublicKeyInfo in PEM. */
export interface PublishedKey {
  key_id: string
  public_key: string
}

/** A quote of the capture, with the value of the IOD that it is evidence of. */
export interface QuotedEvidence {
  value: string
  role: string
  pointer: string
  start: number
  end: number
  created_at: string
}

/** A time-stamped checkpoint of a later or the same size, and that the log of the seal's checkpoint is its beginning. */
export interface Anchored {
  checkpoint: Checkpoint
  /** Consistency path (RFC 9162, 2.1.4) from the seal's checkpoint. */
  consistency: readonly string[]
}

export interface WaczInput {
  manifest: Manifest
  seal: Seal
  proof: InclusionProof
  checkpoint: Checkpoint
  anchored?: Anchored
  keys: readonly PublishedKey[]
  /** Bytes by SHA-256. Those that are missing are left out: the file then says that they were erased. */
  blobs: ReadonlyMap<string, Uint8Array>
  evidence: readonly QuotedEvidence[]
}

/** Where a blob stands in the archive: the page itself, what it loads, or something made of it. */
const targetOf = ({ role, url }: ManifestBlob, page: string): string =>
  role === 'dom' ? page : role === 'media' && url ? url : `urn:${role}:${page}`

/** Sort-friendly URI (SURT), as indexes of web archives have it: the host's parts from the end. */
const surt = (uri: string): string => {
  if (!/^https?:/.test(uri)) return uri
  const { hostname, port, pathname, search } = new URL(uri)
  return `${hostname.split('.').reverse().join(',')}${port ? `:${port}` : ''})${pathname}${search}`.toLowerCase()
}

/** The text that a quote of this place is of; undefined where there is none. */
export const quotedText = (
  manifest: Manifest,
  blobs: ReadonlyMap<string, Uint8Array>,
  { role, pointer }: Pick<QuotedEvidence, 'role' | 'pointer'>,
): { sha256: string; text: string } | undefined => {
  const sha256 = manifest.blobs.find(blob => blob.role === role)?.sha256 ?? ''
  const bytes = blobs.get(sha256)
  if (!bytes) return undefined
  const content = strFromU8(bytes)
  const text = role === 'record' ? pointerValue(JSON.parse(content), pointer) : content
  return text === undefined ? undefined : { sha256, text }
}

/** Evidence as annotations (W3C Web Annotation Data Model), whose offsets are code points. */
const annotations = ({ manifest, blobs, evidence }: WaczInput) =>
  evidence.flatMap(quote => {
    const { value, pointer, start, end, created_at } = quote
    const quoted = quotedText(manifest, blobs, quote)
    if (!quoted) return []
    return {
      '@context': 'http://www.w3.org/ns/anno.jsonld',
      type: 'Annotation',
      motivation: 'identifying',
      created: created_at,
      body: { type: 'TextualBody', value, format: 'text/plain' },
      target: {
        source: `urn:sha256:${quoted.sha256}`,
        selector: selectorsOf(quoted.text, start, end, pointer),
      },
    }
  })

const lines = (...values: unknown[]): Uint8Array =>
  strToU8(values.map(value => `${canonicalJson(value)}\n`).join(''))

/** The data package (WACZ 1.1.1, 5.2.1) of these files, and its digest (5.2.2). */
export const packageOf = async (
  files: ReadonlyMap<string, Uint8Array>,
  { manifest: { url, captured_at }, seal: { received_at } }: Pick<WaczInput, 'manifest' | 'seal'>,
): Promise<[string, Uint8Array][]> => {
  const resources = await Promise.all(
    [...files].map(async ([path, bytes]) => ({
      name: path.slice(path.lastIndexOf('/') + 1),
      path,
      hash: `sha256:${await sha256Hex(bytes)}`,
      bytes: bytes.length,
    })),
  )
  const description = lines({
    profile: 'data-package',
    wacz_version: '1.1.1',
    software: 'Iodine',
    created: received_at,
    mainPageUrl: url,
    mainPageDate: captured_at,
    resources,
  })
  const digest = lines({ path: PACKAGE, hash: `sha256:${await sha256Hex(description)}` })
  return [
    [PACKAGE, description],
    [DIGEST, digest],
  ]
}

/** A ZIP file of these, stored, in their order, with one fixed time: equal files give equal bytes. */
export const zipOf = (files: ReadonlyMap<string, Uint8Array>): Uint8Array => {
  const entries: Zippable = {}
  for (const [path, bytes] of files) entries[path] = [bytes, { level: 0, mtime: new Date(1980, 0, 1) }]
  return zipSync(entries)
}

/**
 * A capture with its seal, proof and evidence as a web archive (WACZ 1.1.1). The archive holds `resource` records, as a
 * collector sees no HTTP answers. Equal input gives equal bytes.
 */
export const buildWacz = async (input: WaczInput): Promise<Uint8Array> => {
  const { manifest, seal, proof, checkpoint, anchored, keys, blobs } = input
  const date = new Date(manifest.captured_at).toISOString()
  const timestamp = date.replace(/\D/g, '').slice(0, 14)
  const archive: Uint8Array[] = []
  const index: string[] = []
  let offset = 0
  const written = new Set<string>()
  for (const blob of manifest.blobs) {
    const bytes = blobs.get(blob.sha256)
    if (!bytes || written.has(blob.sha256)) continue
    written.add(blob.sha256)
    const { sha256, type } = blob
    const targetUri = targetOf(blob, manifest.url)
    const record = warcRecord({ sha256, targetUri, date, type, bytes })
    const entry = { url: targetUri, mime: type, digest: `sha256:${sha256}`, offset, length: record.length }
    index.push(`${surt(targetUri)} ${timestamp} ${canonicalJson({ ...entry, filename: 'data.warc.gz' })}\n`)
    archive.push(record)
    offset += record.length
  }
  const files = new Map<string, Uint8Array>([
    [ARCHIVE, concat(...archive)],
    [INDEX, strToU8(index.sort().join(''))],
    [
      PAGES,
      lines(
        { format: 'json-pages-1.0', id: 'pages', title: 'All pages' },
        { id: seal.manifest_hash.slice(0, 16), url: manifest.url, ts: date },
      ),
    ],
    [MANIFEST, lines(manifest)],
    [SEAL, lines({ seal, proof, checkpoint, ...(anchored && { anchored }), keys })],
    [EVIDENCE, lines(annotations(input))],
  ])
  for (const [path, bytes] of await packageOf(files, input)) files.set(path, bytes)
  return zipOf(files)
}
