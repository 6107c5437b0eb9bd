import { oembedPages, PRODUCT_NAME, reportPages } from '@iodine/contracts'
import { type ListedReport, STYLE, toIndexPage, toReportFeed } from '@iodine/reports'
import { createSharedReads, type StoreService, type Streamed } from '@iodine/service-kit'
import type { CampaignsConfig } from '../../config.js'
import type { Store } from '../../models.js'
import { siteOf } from '../policies/site.js'
import {
  type Call,
  HTML,
  LATEST,
  pageHandler,
  send,
  sendText,
  setHeaders,
  VERSION,
} from '../presenters/page-answers.js'
import {
  createFileReader,
  findPublished,
  findVersion,
  listPublished,
  PageError,
} from '../queries/published.js'

/** Adds the public pages of reports, which need no session. While reports are off, each is answered 404. */
export const addReportPages = (service: StoreService, store: Store, config: CampaignsConfig): void => {
  const site = siteOf(config)
  const answer = <C extends Call>(work: (call: C) => Promise<Streamed<unknown>>) => pageHandler(config, work)
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
