import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

const KEY = 'AKIDEXAMPLE'
// Contains characters that have to be encoded in a URL.
const SECRET = 'wJalr/XUtn+FEMI@K7:MDENG'
const REGION = 'eu-test-1'
const BUCKET = 'captures'

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/** Checks a request's AWS Signature Version 4 with the server's key, for its bytes or an unsigned payload. */
const isSigned = ({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean => {
  const [, credential = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? []
  const [key, day = '', region = '', service = '', end = ''] = credential.split('/')
  const time = String(headers['x-amz-date'])
  const content = String(headers['x-amz-content-sha256'])
  if (key !== KEY || region !== REGION || service !== 's3' || end !== 'aws4_request') return false
  if (!time.startsWith(day) || (content !== 'UNSIGNED-PAYLOAD' && content !== sha256(body))) return false
  if (!signed.split(';').includes('host')) return false
  const { pathname, search } = new URL(url, 'http://server')
  const canonical = [
    method,
    pathname,
    search.slice(1),
    ...signed.split(';').map(name => `${name}:${headers[name]}`),
    '',
    signed,
    content,
  ].join('\n')
  const scope = [day, region, service, end].join('/')
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const signingKey = [region, service, end].reduce(hmac, hmac(`AWS4${SECRET}`, day))
  return hmac(signingKey, text).toString('hex') === signature
}

export interface S3Server {
  /** Bytes by path. */
  objects: Map<string, Buffer>
  /** While true, the server answers each request with 503. */
  isDown: boolean
  /** Returns a value for `BLOBS_URL`. @param options.secret another secret, @param options.bucket another bucket */
  url(options?: { secret?: string; bucket?: string }): string
  stop(): Promise<void>
}

/** Starts a server for the S3 operations that the service uses. It rejects unsigned requests. */
export const startS3Server = async (): Promise<S3Server> => {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const path = request.url ?? ''
    if (store.isDown) return response.writeHead(503).end('<Error/>')
    if (!isSigned(request, body)) return response.writeHead(403).end('<Error/>')
    if (!path.startsWith(`/${BUCKET}/`)) return response.writeHead(404).end('<Error/>')
    const object = objects.get(path)
    if (request.method === 'PUT') objects.set(path, body)
    else if (request.method === 'DELETE') objects.delete(path)
    else if (object) return response.writeHead(200).end(object)
    else return response.writeHead(404).end('<Error/>')
    return response.writeHead(request.method === 'PUT' ? 200 : 204).end()
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const store: S3Server = {
    objects,
    isDown: false,
    url: ({ secret = SECRET, bucket = `${BUCKET}/one` } = {}) =>
      `s3://${KEY}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${bucket}?region=${REGION}&tls=false`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return store
}
