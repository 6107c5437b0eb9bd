// @vitest-environment node
import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RECORD_SCHEMAS } from '@iodine/contracts'
import { imageHash } from '@iodine/likeness'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createPictureHasher } from '../src/background/picture-hashes'
import type { Captured } from '../src/sources'

const SIDE = 256
/** Longer than the default: a busy machine may need more time. */
const TIMEOUT_MS = 60_000
/** Returns the pixels of a picture, as determined by its first byte. */
const pixelsOf = (kind: number) =>
  Uint8ClampedArray.from({ length: SIDE * SIDE * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : ((at >> 2) * kind * 7) % 256,
  )

let server: Server
let base: string
let asked: { path: string; cookie: string | undefined }[]
let permitted: (origin: string) => boolean

beforeAll(async () => {
  server = createServer(({ url = '', headers }, response) => {
    asked.push({ path: url, cookie: headers.cookie })
    if (url === '/gone.png') response.writeHead(404).end()
    else if (url === '/large.png') response.writeHead(200, { 'content-length': 20_000_000 }).end()
    else if (url === '/slow.png') response.writeHead(200)
    else response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([url.length, 2, 3]))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  vi.stubGlobal('chrome', {
    permissions: { contains: async ({ origins }: { origins: string[] }) => origins.every(permitted) },
  })
  // Stubs of the browser's decoding and drawing.
  vi.stubGlobal('createImageBitmap', async (blob: Blob) => {
    const [kind = 0] = new Uint8Array(await blob.arrayBuffer())
    if (kind === '/text.txt'.length) throw new Error('no picture')
    return { kind, close: () => {} }
  })
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext() {
        let drawn = 0
        return {
          drawImage: ({ kind }: { kind: number }) => {
            drawn = kind
          },
          getImageData: () => ({ width: SIDE, height: SIDE, data: pixelsOf(drawn) }),
        }
      }
    },
  )
})
afterAll(() => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  asked = []
  permitted = () => true
})

const captured = (...paths: string[]): Captured => ({
  source: 'telegram',
  record: {
    collector_metadata: { fetch_timestamp: '2026-11-21T10:00:00.000Z', source: 'telegram' },
    telegram: { post: { url: 'https://t.me/open_eyes/1' } },
    context: { edited: true, media: paths.map(path => ({ url: base + path })) },
  },
})
const mediaOf = ([found]: Captured[]) => found?.record.context?.media

it('adds SHA-256 and perceptual hashes, and reads each picture once, without cookies', async () => {
  const hasher = createPictureHasher(TIMEOUT_MS)
  const [found] = await hasher([captured('/a.png', '/a.png', '/bb.png')])
  const hashes = (path: string) => ({
    url: base + path,
    sha256: createHash('sha256')
      .update(Buffer.from([path.length, 2, 3]))
      .digest('hex'),
    phash: imageHash({ width: SIDE, height: SIDE, data: pixelsOf(path.length) }),
  })
  expect(found?.record.context).toEqual({
    edited: true,
    media: [hashes('/a.png'), hashes('/a.png'), hashes('/bb.png')],
  })
  expect(RECORD_SCHEMAS.telegram.safeParse(found?.record).error).toBeUndefined()
  expect(asked.map(({ path }) => path).sort()).toEqual(['/a.png', '/bb.png'])
  expect(asked.every(({ cookie }) => cookie === undefined)).toBe(true)
  await hasher([captured('/a.png')])
  expect(asked).toHaveLength(2)
})

it('skips pictures that are not permitted, missing or too large, and the perceptual hash of other files', async () => {
  permitted = () => false
  expect(mediaOf(await createPictureHasher(TIMEOUT_MS)([captured('/a.png')]))).toEqual([
    { url: `${base}/a.png` },
  ])
  expect(asked).toEqual([])
  permitted = () => true
  const found = mediaOf(
    await createPictureHasher(TIMEOUT_MS)([captured('/gone.png', '/large.png', '/text.txt')]),
  )
  expect(found?.map(medium => Object.keys(medium))).toEqual([['url'], ['url'], ['url', 'sha256']])
  const unreadable = { ...captured() }
  unreadable.record.context = { media: [{ url: 'file:///etc/passwd' }, { url: 'nonsense' }, { url: null }] }
  expect(mediaOf(await createPictureHasher(TIMEOUT_MS)([unreadable]))).toEqual(
    unreadable.record.context.media,
  )
})

it('reads at most 20 pictures of a record, and preserves records without pictures', async () => {
  const many = Array.from({ length: 30 }, (_, n) => `/${'x'.repeat(n + 10)}.png`)
  const found = mediaOf(await createPictureHasher(TIMEOUT_MS)([captured(...many)]))
  expect(found?.map(({ sha256 }) => sha256 !== undefined)).toEqual(many.map((_, n) => n < 20))
  const plain = captured()
  expect(await createPictureHasher(TIMEOUT_MS)([plain])).toEqual([plain])
})
