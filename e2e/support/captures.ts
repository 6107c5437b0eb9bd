import type { RecordOf, Source } from '@iodine/contracts'
import { canonicalJson } from '@iodine/evidence'
import { type ApiClient, sealCapture } from '@iodine/test-kit'

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

/** Seals a page as the collector does. Resolves to the capture's id. */
export const sealPage = async (
  api: ApiClient,
  { url, text, source, record }: CapturedPage,
): Promise<string> => {
  const { id } = await sealCapture(api.call, {
    text,
    dom: `<article>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</article>`,
    record: canonicalJson(record),
    screenshot: new Uint8Array(PIXEL),
    manifest: { source, url, collector: 'iodine-collector/1.0.0' },
  })
  return id
}
