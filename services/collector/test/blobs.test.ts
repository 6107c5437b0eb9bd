import { randomBytes } from 'node:crypto'
import { readConfig } from '@iodine/service-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createS3Blobs } from '../src/captures/blobs/s3.js'
import { collectorConfigSchema } from '../src/index.js'
import { type S3Server, startS3Server } from './s3-server.js'

describe('blobs in an S3-compatible store', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server()
  })
  afterAll(() => server?.stop())

  it('are stored, read and deleted under the bucket’s prefix, each request signed', async () => {
    const blobs = createS3Blobs(server.url())
    const [one, two] = [new Uint8Array(randomBytes(100_000)), new Uint8Array()]
    await blobs.put('a/1', one)
    await blobs.put('a/1', one)
    await blobs.put('a/2', two)
    expect([...server.objects.keys()].sort()).toEqual(['/captures/one/a/1', '/captures/one/a/2'])
    expect(await blobs.get('a/1')).toEqual(one)
    expect(await blobs.get('a/2')).toEqual(two)
    expect(await blobs.get('a/3')).toBeNull()
    await blobs.delete(['a/1', 'a/2', 'a/3'])
    expect(server.objects.size).toBe(0)
  })
  it('reject every operation with a wrong secret or bucket', async () => {
    const bytes = Uint8Array.of(1)
    const stranger = createS3Blobs(server.url({ secret: 'guessed' }))
    await expect(stranger.put('a/1', bytes)).rejects.toThrow('403')
    await expect(stranger.get('a/1')).rejects.toThrow('403')
    await expect(stranger.delete(['a/1'])).rejects.toThrow('403')
    await expect(createS3Blobs(server.url({ bucket: 'other' })).put('a/1', bytes)).rejects.toThrow('404')
    expect(server.objects.size).toBe(0)
  })
})

it('BLOBS_URL accepts a file, s3 or gridfs URL and rejects others', () => {
  const faultOf = (BLOBS_URL: string) => {
    try {
      readConfig(collectorConfigSchema.pick({ BLOBS_URL: true }), { BLOBS_URL })
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  for (const url of ['file:///srv/blobs', 's3://key:secret@s3.example.org/bucket', 'gridfs:', ''])
    expect(faultOf(url)).toBeUndefined()
  for (const url of ['/srv/blobs', 'https://s3.example.org/bucket', 'ftp://x/y'])
    expect(faultOf(url)).toContain('BLOBS_URL')
})
