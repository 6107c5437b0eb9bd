// @vitest-environment node
import { createHash } from 'node:crypto'
import { LIMITS, type Manifest, manifest as manifestSchema } from '@iodine/contracts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type CaptureSource, captureAddress, makeCapture } from '../src/background/make-capture'
import { Failure } from '../src/shared/failures'
import type { PageParts } from '../src/shared/messages'

const URL_HERE = 'https://blog.example.org/post?p=7#top'

beforeAll(() => {
  vi.stubGlobal('chrome', { runtime: { getManifest: () => ({ version: '9.8.7' }) } })
})
afterAll(() => {
  vi.unstubAllGlobals()
})

const page = (fields: Partial<PageParts> = {}): PageParts => ({
  url: URL_HERE,
  dom: '<p>Héllo</p>',
  text: 'Héllo',
  pictures: [],
  unread: 0,
  ...fields,
})
const make = (parts: Partial<PageParts> = {}, fields: Partial<CaptureSource> = {}) =>
  makeCapture({ url: URL_HERE, source: 'blog', trigger: 'collect', page: page(parts), ...fields })
const picture = (bytes: Buffer, fields: object = {}) => ({
  url: 'https://cdn.example.org/a.png',
  type: 'image/png',
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  base64: bytes.toString('base64'),
  ...fields,
})
const roles = ({ blobs }: Manifest) => blobs.map(({ role }) => role)

test('makes a manifest with page, time, software and the role of each blob', async () => {
  const record = {
    metadata: { title: 'T', canonical: 'https://blog.example.org/post' },
    collector_metadata: { source: 'blog' as const, fetch_timestamp: '2026-11-21T10:00:00.000Z' },
  }
  const bytes = Buffer.from('a picture')
  const screenshot = { type: 'image/jpeg', bytes: new Uint8Array(Buffer.from('drawn')) }
  const { manifest, contents } = await make({ pictures: [picture(bytes)] }, { record, screenshot })
  expect(manifestSchema.parse(manifest)).toMatchObject({
    url: 'https://blog.example.org/post?p=7',
    source: 'blog',
    trigger: 'collect',
    collector: 'iodine-collector/9.8.7',
    projection: 'iodine-text-1',
  })
  expect(roles(manifest)).toEqual(['text', 'dom', 'record', 'screenshot', 'media'])
  for (const { sha256, bytes: length } of manifest.blobs) {
    const content = contents.get(sha256) as Uint8Array
    expect(content.length).toBe(length)
    expect(createHash('sha256').update(content).digest('hex')).toBe(sha256)
  }
  const [text, , canonical] = manifest.blobs.map(({ sha256 }) => Buffer.from(contents.get(sha256) ?? []))
  expect(text?.toString()).toBe('Héllo')
  expect(canonical?.toString()).toBe(
    '{"collector_metadata":{"fetch_timestamp":"2026-11-21T10:00:00.000Z","source":"blog"},"metadata":{"canonical":"https://blog.example.org/post","title":"T"}}',
  )
})

test('includes only the hash of large pictures, and skips other media types', async () => {
  const { manifest, contents } = await make({
    pictures: [
      picture(Buffer.from('1'), { base64: undefined, bytes: 5_000_000 }),
      picture(Buffer.alloc(LIMITS.mediaBytes + 1)),
      picture(Buffer.from('2'), { type: 'text/html' }),
      picture(Buffer.from('3'), { type: '' }),
      picture(Buffer.from('Héllo'), { url: 'https://cdn.example.org/same-bytes-as-the-text' }),
    ],
  })
  expect(manifest.blobs.slice(2)).toMatchObject([
    { role: 'media', absent: true, bytes: 5_000_000 },
    { role: 'media', absent: true, bytes: LIMITS.mediaBytes + 1 },
    { role: 'media', bytes: 6 },
  ])
  expect(contents.size).toBe(2)
})

test('limits the total size by leaving out pictures', { tags: 'long' }, async () => {
  const pictures = Array.from({ length: 20 }, (_, n) => picture(Buffer.alloc(LIMITS.mediaBytes, n)))
  const { manifest, contents } = await make({ pictures })
  const bytes = [...contents.values()].reduce((sum, { length }) => sum + length, 0)
  expect(bytes).toBeLessThanOrEqual(LIMITS.captureBytes)
  expect(manifest.blobs.filter(({ absent }) => absent)).toHaveLength(9)
  const many = Array.from({ length: 200 }, (_, n) => picture(Buffer.from(`${n}`)))
  expect((await make({ pictures: many })).manifest.blobs.length).toBeLessThanOrEqual(LIMITS.captureBlobsMax)
})

test.each<[string, Partial<PageParts>]>([
  ['a page with another URL than the browser’s', { url: 'https://bank.example.org/' }],
  ['a text above the limit', { text: 'x'.repeat(LIMITS.captureTextMax + 1) }],
  ['HTML above the limit', { dom: 'ü'.repeat(LIMITS.blobBytes / 2 + 1) }],
  ['nothing', { text: '', dom: '' }],
])('rejects %s', async (_, parts) => {
  await expect(make(parts)).rejects.toBeInstanceOf(Failure)
})

test('skips a picture that is invalid in a manifest', async () => {
  const bytes = Buffer.from('1')
  const pictures = [
    picture(bytes, { url: 'https://cdn.example.org/a\r\nWARC-Type: response' }),
    picture(bytes, { url: 'javascript:alert(1)' }),
    picture(bytes, { type: 'image/png\r\nX: y' }),
    picture(bytes, { sha256: 'no hash' }),
  ]
  expect(roles((await make({ pictures })).manifest)).toEqual(['text', 'dom'])
})

test.each([
  ['https://blog.example.org/a b', 'https://blog.example.org/a%20b'],
  ['https://me:secret@blog.example.org/#x', 'https://blog.example.org/'],
  ['https://app.example.org/#/a/1', 'https://app.example.org/#/a/1'],
  ['https://app.example.org/a#!b', 'https://app.example.org/a#!b'],
  ['https://blog.example.org/\r\n\tx\u0085?q=\u2028', 'https://blog.example.org/x%C2%85?q=%E2%80%A8'],
])('removes white space, credentials and a fragment that is no route from a URL: %j', (address, expected) => {
  expect(captureAddress(address)).toBe(expected)
})
