import { capturesApi, type Manifest, type RecordOf, type Source } from '@iodine/contracts'
import { canonicalJson, sha256Hex } from '@iodine/evidence'
import type { ApiClient } from '@iodine/test-kit'

/** A picture of one grey pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)

export interface CapturedPage {
  url: string
  text: string
  source: Source
  record: RecordOf[Source]
}

const encode = (text: string) => new TextEncoder().encode(text)

/** Captures a page as the collector does, and has it sealed. Returns the capture's id. */
export const sealPage = async (
  api: ApiClient,
  { url, text, source, record }: CapturedPage,
): Promise<string> => {
  const contents = [
    ['text', 'text/plain', encode(text)],
    [
      'dom',
      'text/html',
      encode(`<article>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</article>`),
    ],
    ['record', 'application/json', encode(canonicalJson(record))],
    ['screenshot', 'image/png', new Uint8Array(PIXEL)],
  ] as const
  const blobs = await Promise.all(
    contents.map(async ([role, type, bytes]) => ({
      role,
      type,
      bytes: bytes.length,
      sha256: await sha256Hex(bytes),
    })),
  )
  const body: Manifest = {
    v: 1,
    source,
    url,
    captured_at: new Date().toISOString(),
    trigger: 'collect',
    collector: 'iodine-collector/1.0.0',
    projection: 'iodine-text-1',
    blobs,
  }
  const { id } = await api.call(capturesApi.createCapture, { body })
  for (const [n, { sha256 }] of blobs.entries())
    await api.call(capturesApi.putBlob, { params: { id, sha256 }, body: contents[n]?.[2] ?? encode('') })
  await api.call(capturesApi.sealCapture, { params: { id } })
  return id
}
