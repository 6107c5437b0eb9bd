import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'
import { createGunzip } from 'node:zlib'
import ipaddr from 'ipaddr.js'
import { Agent, request } from 'undici'

/** How long a connection and the first byte of an answer may take; an answer in all. */
const CONNECT_MS = 10_000
const ANSWER_MS = 60_000
/** Ports of public hosts: those on which HTTPS is served. */
const PORTS: ReadonlySet<string> = new Set(['443', '8443'])
const HEADER_BYTES = 16_384

/** Why something could not be fetched, in words for administrators: nothing that the other side has written, no secret. */
export class FeedError extends Error {
  override name = 'FeedError'
  /** HTTP status of the answer, if there was one. */
  readonly status: number | undefined
  /** When the other side wants to be asked again, in milliseconds. */
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

/** An answer has more bytes than are taken. */
export class TooLargeError extends FeedError {}

/** A resolver of names, as `dns.lookup` with `all`. */
export type ResolveAll = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export interface PublicFetchOptions {
  /** `host` or `host:port` in the deployment's own network that may be asked all the same. */
  allow?: readonly string[]
  /** A certification authority beside those that Node trusts, in PEM. */
  ca?: string | undefined
  resolve?: ResolveAll
  /** Of public hosts; those of HTTPS by default. */
  ports?: ReadonlySet<string>
}

export interface FetchedAnswer {
  status: number
  header(name: string): string | undefined
  body: Buffer
}

export interface PublicFetch {
  /**
   * GET of an https URL. Follows no redirect.
   * @param bytesMax of the answer, unpacked
   * @throws FeedError for an address that may not be asked, and for an answer that does not come, or is too large or late
   */
  get(
    url: URL,
    options: {
      headers?: Record<string, string>
      bytesMax: number
      ms?: number
      signal?: AbortSignal | undefined
    },
  ): Promise<FetchedAnswer>
  close(): Promise<void>
}

/**
 * Whether an address is of the public internet: none that is private, local, shared, reserved, multicast, or leads to an
 * IPv4 address through IPv6 (mapped, NAT64, 6to4, Teredo). Ranges: IANA's registries of special addresses.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  // What IANA has not given to anybody is not public yet.
  return parsed.kind() === 'ipv4' || parsed.match(ipaddr.parseCIDR('2000::/3') as never)
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '').toLowerCase()

/** What went wrong on the way, by the code of the error. */
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
  UND_ERR_HEADERS_TIMEOUT: 'the answer took too long',
  UND_ERR_BODY_TIMEOUT: 'the answer took too long',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
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

/** Reads the body of an answer, unpacked, up to a number of bytes. */
const readBody = async (
  body: Readable,
  { status, encoding, bytesMax }: { status: number; encoding: string; bytesMax: number },
): Promise<Buffer> => {
  // What goes wrong is read from the last stream.
  const stream = encoding === 'gzip' ? pipeline(body, createGunzip(), () => {}) : body
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      if (bytes > bytesMax)
        throw new TooLargeError(`An answer has more than ${bytesMax.toLocaleString('en-US')} bytes`, {
          status,
        })
      chunks.push(chunk)
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code?.startsWith('Z_')
      ? new FeedError('The answer is not packed as it says', { status })
      : error
  } finally {
    body.destroy()
  }
  return Buffer.concat(chunks, bytes)
}

/**
 * Fetches from hosts that somebody else names, without a way into the deployment's own network: the addresses that a name
 * has are checked when a connection is made, and the connection is made to one of those, so that a name which changes its
 * address in between gains nothing.
 */
export const createPublicFetch = ({
  allow = [],
  ca,
  ports = PORTS,
  resolve = (hostname, done) => systemLookup(hostname, { all: true }, done),
}: PublicFetchOptions = {}): PublicFetch => {
  const allowed = new Set(allow.map(each => each.toLowerCase()))
  /** Looks a name up for a connection, which is made to one of the addresses that were checked. */
  const lookup =
    (isOwn: boolean) =>
    (
      hostname: string,
      options: { all?: boolean },
      done: (error: Error | null, address?: string | LookupAddress[], family?: number) => void,
    ): void =>
      resolve(hostname, (error, addresses) => {
        if (error) return done(error)
        if (!isOwn && !addresses.every(({ address }) => isPublicAddress(address)))
          return done(new FeedError('Refused: the host has an address that is not public'))
        const [first] = addresses
        if (!first) return done(new FeedError('The host name has no address'))
        return options.all ? done(null, addresses) : done(null, first.address, first.family)
      })
  const agentFor = (isOwn: boolean) =>
    new Agent({
      connect: {
        lookup: lookup(isOwn) as never,
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
    if (url.protocol !== 'https:') throw new FeedError('Refused: only https is asked')
    if (url.username || url.password)
      throw new FeedError('Refused: the address has a user or a password in it')
    const host = bare(url.hostname)
    const port = url.port || '443'
    if (allowed.has(`${host}:${port}`) || (allowed.has(host) && ports.has(port))) return agents.own
    if (!ports.has(port)) throw new FeedError(`Refused: port ${port} is not asked`)
    // A name is checked when it is looked up; an address is not looked up.
    if (isIP(host) && !isPublicAddress(host)) throw new FeedError('Refused: the address is not public')
    return agents.public
  }

  return {
    async get(url, { headers = {}, bytesMax, ms = ANSWER_MS, signal }) {
      const dispatcher = agentOf(url)
      const late = AbortSignal.timeout(ms)
      try {
        const answer = await request(url, {
          dispatcher,
          headers: { ...headers, 'accept-encoding': 'gzip, identity', 'user-agent': 'iodine' },
          signal: AbortSignal.any([late, ...(signal ? [signal] : [])]),
        })
        // A body that is not read to its end says so, with nobody listening.
        answer.body.on('error', () => {})
        const header = (name: string) => [answer.headers[name] ?? []].flat()[0]
        const { statusCode: status } = answer
        const encoding = (header('content-encoding') ?? 'identity').toLowerCase()
        if (encoding !== 'identity' && encoding !== 'gzip') {
          answer.body.destroy()
          throw new FeedError('The answer is packed in a way that was not asked for', { status })
        }
        if (status >= 300 && status < 400 && status !== 304) {
          answer.body.destroy()
          throw new FeedError('The feed redirects to another address, which is not followed', { status })
        }
        return { status, header, body: await readBody(answer.body, { status, encoding, bytesMax }) }
      } catch (error) {
        if (signal?.aborted) throw signal.reason
        if (late.aborted) throw new FeedError('The answer took too long', { cause: error })
        throw failure(error)
      }
    },
    async close() {
      await Promise.all([agents.own.destroy(), agents.public.destroy()])
    },
  }
}
