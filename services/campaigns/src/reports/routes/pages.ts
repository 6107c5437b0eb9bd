import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { oembedPages, PRODUCT_NAME, reportPages } from '@iodine/contracts'
import { type ListedReport, STYLE, toErrorPage, toIndexPage, toReportFeed } from '@iodine/reports'
import {
  createSharedReads,
  type FastifyRequest,
  isKnownEtag,
  type ReplyHeaders,
  type StoreService,
  Streamed,
} from '@iodine/service-kit'
import type { CampaignsConfig } from '../../config.js'
import type { Store } from '../../models.js'
import { siteOf } from '../policies/site.js'
import {
  createFileReader,
  findPublished,
  findVersion,
  listPublished,
  PageError,
} from '../queries/published.js'

interface Call {
  request: FastifyRequest
  reply: ReplyHeaders & { code(status: number): unknown }
}

/** Returns the bytes in parts, so that readers of large files do not use the memory for whole ones. */
const decompressed = (gzip: Buffer) => Readable.from([gzip]).pipe(createGunzip())

const HTML = 'text/html; charset=utf-8'
const LATEST = 'public, max-age=60, stale-if-error=0'
const VERSION = 'public, max-age=300'

/** Returns whether an Accept header accepts a type (RFC 9110, 12.5.1). */
const accepts = (accept: string | undefined, type: string): boolean => {
  const [wanted = ''] = type.split(';')
  const ranges = [wanted, `${wanted.split('/')[0]}/*`, '*/*']
  return (accept ?? '*/*').split(',').some(range => {
    const [name = '', ...parameters] = range.toLowerCase().replace(/\s/g, '').split(';')
    return ranges.includes(name) && !parameters.some(each => /^q=0(\.0*)?$/.test(each))
  })
}

const setHeaders = (reply: ReplyHeaders, caching: string, isListed: boolean) => {
  reply.header('cache-control', caching)
  reply.header('x-content-type-options', 'nosniff')
  if (!isListed) reply.header('x-robots-tag', 'noindex')
}

/** Adds the public pages of reports, which need no session. While reports are off, each is answered 404. */
export const addReportPages = (service: StoreService, store: Store, config: CampaignsConfig): void => {
  const site = siteOf(config)
  const answer =
    <C extends Call>(work: (call: C) => Promise<Streamed<unknown>>) =>
    async (call: C): Promise<Streamed<unknown>> => {
      try {
        if (config.REPORTS === 'off') throw new PageError(404)
        return await work(call)
      } catch (error) {
        if (!(error instanceof PageError)) throw error
        const { status, text, lines } = error
        const languages = call.request.headers['accept-language']
        call.reply.code(status)
        setHeaders(call.reply, 'no-store', false)
        return new Streamed<unknown>(
          toErrorPage(status, { text, lines: lines.filter(Boolean), languages }),
          HTML,
        )
      }
    }
  /** Answers with bytes of that hash, 304 if the client has them, or 406. */
  const send = async (
    { request, reply }: Call,
    { type, sha256, gzip, bytes }: { type: string; sha256: string; gzip?: Buffer; bytes?: Buffer },
  ): Promise<Streamed<unknown>> => {
    if (!accepts(request.headers.accept, type)) throw new PageError(406)
    const etag = `"${sha256}"`
    reply.header('etag', etag)
    reply.header('vary', 'accept, accept-encoding')
    if (isKnownEtag(request.headers['if-none-match'], etag)) {
      reply.code(304)
      return new Streamed<unknown>(null)
    }
    if (!gzip) return new Streamed<unknown>(bytes ?? Buffer.alloc(0), type)
    if (!/\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? '')))
      return new Streamed<unknown>(decompressed(gzip), type)
    reply.header('content-encoding', 'gzip')
    return new Streamed<unknown>(gzip, type)
  }
  const sendText = (call: Call, text: string, type: string) => {
    const bytes = Buffer.from(text)
    return send(call, { type, bytes, sha256: createHash('sha256').update(bytes).digest('hex') })
  }
  const files = createFileReader(store)
  const sendFile = async (call: Call, which: { slug: string; version?: string; file?: string }) => {
    const file = await files(which)
    setHeaders(call.reply, which.version === undefined ? LATEST : VERSION, file.isListed)
    const base = `/reports/${file.slug}`
    call.reply.header(
      'link',
      `<${site.url}${base}/v${file.n}>; rel="cite-as", <${site.url}${base}>; rel="latest-version"`,
    )
    return send(call, file)
  }
  const shared = createSharedReads<'all', ListedReport[]>()
  const listed = () => shared('all', () => listPublished(store))

  service.page(
    reportPages.listPublished,
    answer(async call => {
      setHeaders(call.reply, LATEST, true)
      return sendText(call, toIndexPage(await listed()), HTML)
    }),
  )
  service.page(
    reportPages.getReportFeed,
    answer(async call => {
      setHeaders(call.reply, LATEST, false)
      const feed = toReportFeed(await listed(), { name: PRODUCT_NAME, url: site.url })
      return sendText(call, feed, 'application/atom+xml; charset=utf-8')
    }),
  )
  service.page(
    reportPages.getStyle,
    answer(async call => {
      setHeaders(call.reply, VERSION, true)
      return sendText(call, STYLE, 'text/css; charset=utf-8')
    }),
  )
  service.page(
    reportPages.getLatest,
    answer(call => sendFile(call, { slug: call.params.slug })),
  )
  service.page(
    reportPages.getVersion,
    answer(call => sendFile(call, call.params)),
  )
  service.page(
    reportPages.getFile,
    answer(call => sendFile(call, call.params)),
  )
  service.page(
    oembedPages.getEmbed,
    answer(async call => {
      const { url = '' } = call.query
      const [, slug, version] =
        /^\/reports\/([a-z2-7]{16})(?:\/(v\d+))?$/.exec(
          url.startsWith(site.url) ? url.slice(site.url.length) : '',
        ) ?? []
      if (!slug) throw new PageError(404)
      const shown = await findVersion(store, await findPublished(store, slug), version)
      const body = {
        version: '1.0',
        type: 'link',
        title: shown.content?.title ?? '',
        provider_name: PRODUCT_NAME,
        provider_url: site.url,
      }
      setHeaders(call.reply, LATEST, false)
      return sendText(call, JSON.stringify(body), 'application/json')
    }),
  )
}
