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
/** All files, in the order of the ZIP file. */
export const FILES = [ARCHIVE, INDEX, PAGES, MANIFEST, SEAL, EVIDENCE, PACKAGE, DIGEST] as const

/** A public key of the log's signer: SubjectPublicKeyInfo in PEM. */
export interface PublishedKey {
  key_id: string
  public_key: string
}

/** A quote of the capture, with the value of the IOD that it supports. */
export interface QuotedEvidence {
  value: string
  role: string
  pointer: string
  start: number
  end: number
  created_at: string
}

/** A time-stamped checkpoint of the same or a larger size, with the proof that it continues the seal's checkpoint. */
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
  /** Bytes by SHA-256. Missing blobs are left out; `verifyWacz` reports them as erased. */
  blobs: ReadonlyMap<string, Uint8Array>
  evidence: readonly QuotedEvidence[]
}

/** Returns a blob's target URI: the page's URL, the URL of media, or a URN for derived blobs. */
const targetOf = ({ role, url }: ManifestBlob, page: string): string =>
  role === 'dom' ? page : role === 'media' && url ? url : `urn:${role}:${page}`

/** Returns the Sort-friendly URI Reordering Transform (SURT) for the index: reverses the labels of the host. */
const surt = (uri: string): string => {
  if (!/^https?:/.test(uri)) return uri
  const { hostname, port, pathname, search } = new URL(uri)
  return `${hostname.split('.').reverse().join(',')}${port ? `:${port}` : ''})${pathname}${search}`.toLowerCase()
}

/** Returns the text that a quote refers to, and its blob's hash; undefined if the blob or the field is missing. */
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

/** Returns evidence as annotations (W3C Web Annotation Data Model), whose offsets are code points. */
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

/** Returns the data package (WACZ 1.1.1, 5.2.1) of the files, and its digest (5.2.2). */
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

/** Returns an uncompressed ZIP file with a fixed modification time: equal files yield equal bytes. */
export const zipOf = (files: ReadonlyMap<string, Uint8Array>): Uint8Array => {
  const entries: Zippable = {}
  for (const [path, bytes] of files) entries[path] = [bytes, { level: 0, mtime: new Date(1980, 0, 1) }]
  return zipSync(entries)
}

/**
 * Exports a capture with its seal, proof and evidence as a web archive (WACZ 1.1.1). It contains `resource` records,
 * because collectors do not see HTTP responses. Equal input yields equal bytes.
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
