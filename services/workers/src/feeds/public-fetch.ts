import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'
import { createGunzip } from 'node:zlib'
import ipaddr from 'ipaddr.js'
import { Agent, type Dispatcher, request } from 'undici'

/** Timeout of a connection, and of a response in total. */
const CONNECT_MS = 10_000
const ANSWER_MS = 60_000
/** Ports of public hosts: those on which HTTPS is served. */
const PORTS: ReadonlySet<string> = new Set(['443', '8443'])
const HEADER_BYTES = 16_384

/** Reason of a failed fetch, shown to administrators. It contains no text of the remote server and no secret. */
export class FeedError extends Error {
  override name = 'FeedError'
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined
  /** Milliseconds after which the remote server accepts a retry. */
  readonly retryMs: number | undefined
  constructor(
    message: string,
    { status, retryMs, cause }: { status?: number; retryMs?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.status = status
    this.retryMs = retryMs
  }
}

/** A response exceeds the maximum number of bytes. */
export class TooLargeError extends FeedError {}

/** A DNS resolver, like `dns.lookup` with `all`. */
export type ResolveAll = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface PublicFetchOptions {
  /** `host` or `host:port` in the deployment's own network that may be requested nevertheless. */
  allow?: readonly string[]
  /** A certification authority beside those that Node trusts, in PEM. */
  ca?: string | undefined
  resolve?: ResolveAll
  /** Permitted ports of public hosts; those of HTTPS by default. */
  ports?: ReadonlySet<string>
}

export interface FetchedAnswer {
  status: number
  header(name: string): string | undefined
  body: Buffer
}

interface RequestOptions {
  headers?: Record<string, string>
  /** Maximum of the decompressed response. */
  bytesMax: number
  ms?: number
  signal?: AbortSignal | undefined
}

export interface PublicFetch {
  /**
   * Requests an https URL. Follows no redirect.
   * @throws FeedError for a forbidden URL, and for a response that is missing, late or too large
   */
  get(url: URL, options: RequestOptions): Promise<FetchedAnswer>
  /** Like `get`, by POST with a body. */
  post(url: URL, body: string, options: RequestOptions): Promise<FetchedAnswer>
  close(): Promise<void>
}

/**
 * Returns whether an address is of the public internet: not private, local, shared, reserved or multicast, and not an
 * IPv6 form of an IPv4 address (mapped, NAT64, 6to4, Teredo). Ranges: IANA's registries of special addresses.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // Addresses that IANA has not assigned yet are not public.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3') as never)
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').toLowerCase()

/** Reasons of connection failures by error code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  ECONNREFUSED: 'the host refused the connection',
  ECONNRESET: 'the connection broke off',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'the host did not answer in time',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_CONNECT_TIMEOUT: 'the host did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'the response took too long',
  UND_ERR_BODY_TIMEOUT: 'the response took too long',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the response are too large',
}

const failure = (error: unknown): FeedError => {
  if (error instanceof FeedError) return error
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  if (cause instanceof FeedError) return cause
  const reason =
    REASONS[code ?? ''] ??
    (/CERT|SSL|TLS|SIGNATURE|ISSUER|VERIFY/.test(code ?? '')
      ? 'its certificate is not trusted, or not for this host'
      : 'the connection failed')
  return new FeedError(`Could not be fetched: ${reason}`, { cause: error })
}

/** Reads the decompressed body of a response up to `bytesMax` bytes. */
const readBody = async (
  body: Readable,
  { status, encoding, bytesMax }: { status: number; encoding: string; bytesMax: number },
): Promise<Buffer> => {
  // Errors of both streams surface at the last one.
  const stream = encoding === 'gzip' ? pipeline(body, createGunzip(), () => {}) : body
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > bytesMax)
        throw new TooLargeError(`A response has more than ${bytesMax.toLocaleString('en-US')} bytes`, {
          status,
        })
      chunks.push(chunk)
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('Z_')
      ? new FeedError('The response is not valid gzip', { status })
      : error
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks, bytes)
}

const readAnswer = async (answer: Dispatcher.ResponseData, bytesMax: number): Promise<FetchedAnswer> => {
  // A body that is not read completely emits an error without a listener.
  answer.body.on('error', () => {})
  const header = (name: string) => [answer.headers[name] ?? []].flat()[0]
  const { statusCode: status } = answer
  const encoding = (header('content-encoding') ?? 'identity').toLowerCase()
  if (encoding !== 'identity' && encoding !== 'gzip') {
    answer.body.destroy()
    throw new FeedError('The response has an unsupported content encoding', { status })
  }
  if (status >= 300 && status < 400 && status !== 304) {
    answer.body.destroy()
    throw new FeedError('The server redirects to another URL: redirects are not followed', { status })
  }
  return { status, header, body: await readBody(answer.body, { status, encoding, bytesMax }) }
}

/** Resolves a name for a connection and checks its addresses, one of which is then used. */
const checkedLookup =
  (resolve: ResolveAll, isOwn: boolean) =>
  (
    hostname: string,
    options: { all?: boolean },
    done: (error: Error | null, address?: string | LookupAddress[], family?: number) => void,
  ): void =>
    resolve(hostname, (error, addresses) => {
      if (error) return done(error)
      if (!isOwn && !addresses.every(({ address }) => isPublicAddress(address)))
        return done(new FeedError('Refused: the host has an IP address that is not public'))
      const [first] = addresses
      if (!first) return done(new FeedError('The host name has no IP address'))
      return options.all ? done(null, addresses) : done(null, first.address, first.family)
    })

/**
 * Creates a client for URLs that others enter, without access to the deployment's own network (SSRF). It checks the
 * addresses of a name when it connects, and connects to one of the checked addresses: a name that changes its address
 * in between (DNS rebinding) has no effect.
 */
export const createPublicFetch = ({
  allow = [],
  ca,
  ports = PORTS,
  resolve = (hostname, done) => systemLookup(hostname, { all: true }, done),
}: PublicFetchOptions = {}): PublicFetch => {
  const allowed = new Set(allow.map(each => each.toLowerCase()))
  const agentFor = (isOwn: boolean) =>
    new Agent({
      connect: {
        lookup: checkedLookup(resolve, isOwn) as never,
        timeout: CONNECT_MS,
        ...(ca && { ca: [...rootCertificates, ca] }),
      },
      connections: 1,
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: ANSWER_MS,
      bodyTimeout: ANSWER_MS,
      keepAliveTimeout: 4_000,
    })
  const agents = { own: agentFor(true), public: agentFor(false) }

  const agentOf = (url: URL): Agent => {
    if (url.protocol !== 'https:') throw new FeedError('Refused: the URL must begin with https')
    if (url.username || url.password) throw new FeedError('Refused: the URL contains a user or a password')
    const host = bare(url.hostname)
    const port = url.port || '443'
    if (allowed.has(`${host}:${port}`) || (allowed.has(host) && ports.has(port))) return agents.own
    if (!ports.has(port)) throw new FeedError(`Refused: port ${port} is not allowed`)
    // A name is checked when it is resolved; an address is not resolved.
    if (isIP(host) && !isPublicAddress(host)) throw new FeedError('Refused: the IP address is not public')
    return agents.public
  }

  const send = async (
    url: URL,
    { headers = {}, bytesMax, ms = ANSWER_MS, signal }: RequestOptions,
    body?: string,
  ): Promise<FetchedAnswer> => {
    const dispatcher = agentOf(url)
    const late = AbortSignal.timeout(ms)
    try {
      const answer = await request(url, {
        dispatcher,
        ...(body !== undefined && { method: 'POST' as const, body }),
        headers: { ...headers, 'accept-encoding': 'gzip, identity', 'user-agent': 'iodine' },
        signal: AbortSignal.any([late, ...(signal ? [signal] : [])]),
      })
      return await readAnswer(answer, bytesMax)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (late.aborted) throw new FeedError('The response took too long', { cause: error })
      throw failure(error)
    }
  }

  return {
    get: send,
    post: (url, body, options) => send(url, options, body),
    async close() {
      await Promise.all([agents.own.destroy(), agents.public.destroy()])
    },
  }
}
