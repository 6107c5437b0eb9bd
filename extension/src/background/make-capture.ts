import {
  type CaptureTrigger,
  type CollectedSource,
  isRoute,
  LIMITS,
  type Manifest,
  type ManifestBlob,
  manifestBlob,
  manifest as manifestSchema,
} from '@iodine/contracts'
import { canonicalJson, sha256Hex } from '@iodine/evidence'
import { PROJECTION } from '@iodine/evidence/dom'
import { Failure } from '../shared/failures'
import type { PageParts } from '../shared/messages'
import type { Captured } from '../sources'
import type { NewCapture } from './captures'

const utf8 = new TextEncoder()
/** Maximum pictures: up to four blobs of a manifest are dom, text, record and screenshot. */
const PICTURES_MAX = LIMITS.captureBlobsMax - 4
const TYPE = /^image\/[a-z0-9.+-]+$/

/** Returns a page's URL without credentials, and without its fragment unless that is a route. */
export const captureAddress = (address: string): string => {
  const url = new URL(address)
  url.username = url.password = ''
  if (!isRoute(url.hash)) url.hash = ''
  return url.href
}

/** Decodes base64. Throws for invalid input. */
export const fromBase64 = (base64: string): Uint8Array<ArrayBuffer> => {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  // `Uint8Array.from` is many times slower for 2 MB.
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

export interface CaptureSource {
  /** URL and source of the page, as stated by the browser. */
  url: string
  source: CollectedSource
  trigger: CaptureTrigger
  page: PageParts
  /** The record in the form in which it is sent. */
  record?: Captured['record'] | undefined
  screenshot?: { type: string; bytes: Uint8Array<ArrayBuffer> } | undefined
}

/**
 * Creates a capture from the parts that a content script has read: a manifest by the contract, and its blobs. Pictures
 * beyond the limits have only their hash, or are left out.
 * @throws Failure if the page can't be captured
 */
export const makeCapture = async ({
  url,
  source,
  trigger,
  page,
  record,
  screenshot,
}: CaptureSource): Promise<NewCapture> => {
  if (page.url !== url) throw new Failure('addressChanged')
  if (page.text.length > LIMITS.captureTextMax) throw new Failure('tooLong')
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const blobs: ManifestBlob[] = []
  let room: number = LIMITS.captureBytes
  const put = async (
    blob: Pick<ManifestBlob, 'role' | 'type' | 'url'>,
    bytes: Uint8Array<ArrayBuffer>,
    max: number = LIMITS.blobBytes,
  ) => {
    const sha256 = await sha256Hex(bytes)
    const isFree = contents.has(sha256)
    const fits = isFree || (bytes.length <= max && bytes.length <= room)
    if (fits && !isFree) {
      contents.set(sha256, bytes)
      room -= bytes.length
    }
    if (fits || blob.role === 'media')
      blobs.push({ ...blob, sha256, bytes: bytes.length, ...(!fits && { absent: true }) })
    return fits
  }
  const putText = async (blob: Pick<ManifestBlob, 'role' | 'type'>, text: string) => {
    if (text !== '' && !(await put(blob, utf8.encode(text)))) throw new Failure('tooLong')
  }

  await putText({ role: 'text', type: 'text/plain' }, page.text)
  await putText({ role: 'dom', type: 'text/html' }, page.dom)
  if (record) await putText({ role: 'record', type: 'application/json' }, canonicalJson(record))
  if (screenshot) await put({ role: 'screenshot', type: screenshot.type }, screenshot.bytes)
  for (const { url: address, type, bytes, sha256, base64 } of page.pictures.slice(0, PICTURES_MAX)) {
    const blob = { role: 'media', type, url: address } as const
    if (!TYPE.test(type) || !manifestBlob.safeParse({ ...blob, sha256, bytes }).success) continue
    if (base64 !== undefined) await put(blob, fromBase64(base64), LIMITS.mediaBytes)
    else blobs.push({ ...blob, sha256, bytes, absent: true })
  }
  const manifest: Manifest = {
    v: 1,
    source,
    url: captureAddress(url),
    captured_at: new Date().toISOString(),
    trigger,
    collector: `iodine-collector/${chrome.runtime.getManifest().version}`,
    projection: PROJECTION,
    blobs,
  }
  if (contents.size === 0 || !manifestSchema.safeParse(manifest).success)
    throw new Failure('nothingToCapture')
  return { manifest, contents }
}
