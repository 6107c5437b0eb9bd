import { createHash } from 'node:crypto'
import { type BlobRole, type Client, capturesApi, type Manifest, type ResponseOf } from '@iodine/contracts'

const TYPES = {
  dom: 'text/html',
  text: 'text/plain',
  record: 'application/json',
  screenshot: 'image/png',
  media: 'image/png',
} as const satisfies Record<BlobRole, string>

type Content = string | Uint8Array<ArrayBuffer>
const bytesOf = (content: Content): Uint8Array<ArrayBuffer> =>
  typeof content === 'string' ? new Uint8Array(Buffer.from(content)) : content

/** Content of a capture in a test: blobs by role, and fields of the manifest. */
interface CapturedParts extends Partial<Record<BlobRole, Content>> {
  manifest?: Partial<Manifest>
}

/** Returns a capture as the collector creates it: its manifest, and the bytes of its blobs by their SHA-256. */
export const captureOf = ({ manifest, ...parts }: CapturedParts) => {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>()
  const blobs = Object.entries(parts).flatMap(([name, content]) => {
    if (content === undefined) return []
    const role = name as BlobRole
    const bytes = bytesOf(content)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    contents.set(sha256, bytes)
    return { role, sha256, bytes: bytes.length, type: TYPES[role] }
  })
  const whole: Manifest = {
    v: 1,
    source: 'blog',
    url: 'https://blog.example.org/numbers',
    captured_at: new Date().toISOString(),
    trigger: 'collect',
    collector: 'test/1',
    projection: 'iodine-text-1',
    blobs,
    ...manifest,
  }
  return { manifest: whole, contents }
}

/** Creates a capture, uploads its blobs and seals it. */
export const sealCapture = async (
  call: Client['call'],
  parts: CapturedParts,
): Promise<{ id: string } & ResponseOf<typeof capturesApi.sealCapture>> => {
  const { manifest, contents } = captureOf(parts)
  const { id, missing } = await call(capturesApi.createCapture, { body: manifest })
  for (const sha256 of missing)
    await call(capturesApi.putBlob, { params: { id, sha256 }, body: contents.get(sha256) as never })
  return { id, ...(await call(capturesApi.sealCapture, { params: { id } })) }
}
