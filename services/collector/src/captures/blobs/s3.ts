import { AwsClient } from 'aws4fetch'
import type { Blobs } from './blobs.js'

const FAILED = 'the blob store answered'

/**
 * Stores blobs in an S3-compatible store, with requests signed by AWS Signature Version 4. The URL is
 * `s3://KEY:SECRET@HOST[:PORT]/BUCKET[/PREFIX][?region=REGION&tls=false]`; requests use path-style URLs and https.
 */
export const createS3Blobs = (url: string): Blobs => {
  const { username, password, host, pathname, searchParams } = new URL(url)
  const client = new AwsClient({
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
    service: 's3',
    region: searchParams.get('region') ?? 'us-east-1',
  })
  const base = `${searchParams.get('tls') === 'false' ? 'http' : 'https'}://${host}${pathname.replace(/\/$/, '')}`
  const send = async (key: string, init: RequestInit) => {
    const answer = await client.fetch(`${base}/${key}`, { signal: AbortSignal.timeout(30_000), ...init })
    if (!answer.ok && answer.status !== 404) throw new Error(`${FAILED} ${answer.status}`)
    return answer
  }
  return {
    async put(key, bytes) {
      const { status } = await send(key, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> })
      if (status === 404) throw new Error(`${FAILED} 404: no such bucket`)
    },
    async get(key) {
      const answer = await send(key, { method: 'GET' })
      return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null
    },
    async delete(keys) {
      for (const key of keys) await send(key, { method: 'DELETE' })
    },
  }
}
