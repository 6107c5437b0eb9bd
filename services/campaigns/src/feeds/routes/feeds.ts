import { DETAILS, LIMITS, PRODUCT_NAME, TAXII_TYPE, type Tlp, taxiiFeeds } from '@iodine/contracts'
import { HttpError, notFound, type ReplyHeaders, type StoreService, Streamed } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { envelope, listPage, manifestEntry, timesOf } from '../presenters/feed-page.js'
import { readSelection } from '../queries/feed-selection.js'
import {
  type Collection,
  type FeedPage,
  findCollection,
  listCollections,
  readPage,
} from '../queries/feeds.js'

const STIX_TYPE = 'application/stix+json;version=2.1'
const ROOT = '/taxii2/iodine/'

/** Returns whether an Accept header accepts TAXII 2.1 (RFC 9110, 12.5.1). */
const takesTaxii = (accept = '*/*'): boolean =>
  accept.split(',').some(range => {
    const [type = '', ...parameters] = range.toLowerCase().replace(/\s/g, '').split(';')
    const version = parameters.find(each => each.startsWith('version='))
    const refused = parameters.some(each => /^q=0(\.0*)?$/.test(each))
    return (
      !refused &&
      (type === '*/*' ||
        type === 'application/*' ||
        (type === 'application/taxii+json' && (version === undefined || /^version="?2\.1"?$/.test(version))))
    )
  })

const negotiate = ({ headers }: { headers: { accept?: string | undefined } }) => {
  if (!takesTaxii(headers.accept)) throw new HttpError(406, DETAILS.notTaxii)
}

/** Returns JSON as bytes: for text Fastify would add a charset to the type, which clients do not expect. */
const json = (value: unknown) => new Streamed<unknown>(Buffer.from(JSON.stringify(value)), TAXII_TYPE)

const presentCollection = ({ id, title, description, alias }: Collection) => ({
  id,
  title,
  description,
  alias,
  can_read: true,
  can_write: false,
  media_types: [STIX_TYPE],
})

/** Adds the routes of the TAXII 2.1 feeds of published campaigns. */
export const addFeedRoutes = (service: StoreService, store: Store): void => {
  service.feed(taxiiFeeds.discover, async ({ request }) => {
    negotiate(request)
    const root = `${request.protocol}://${request.host}${ROOT}`
    return json({
      title: PRODUCT_NAME,
      description: 'Published campaigns of disinformation',
      default: root,
      api_roots: [root],
    })
  })
  service.feed(taxiiFeeds.getRoot, async ({ request }) => {
    negotiate(request)
    return json({
      title: `${PRODUCT_NAME}: campaigns`,
      versions: [TAXII_TYPE],
      max_content_length: LIMITS.feedPageBytes,
    })
  })
  service.feed(taxiiFeeds.listCollections, async ({ request, reader }) => {
    negotiate(request)
    return json({ collections: (await listCollections(store, reader.tlp)).map(presentCollection) })
  })
  service.feed(taxiiFeeds.getCollection, async ({ request, params, reader }) => {
    negotiate(request)
    return json(presentCollection(await findCollection(store, params.collection, reader.tlp)))
  })

  const note = (reply: ReplyHeaders, { rows }: FeedPage) => {
    const times = timesOf(rows)
    if (!times) return
    reply.header('x-taxii-date-added-first', times[0])
    reply.header('x-taxii-date-added-last', times[1])
  }
  /** Throws 404 unless the collection contains the object. */
  const requireObject = async (collection: Collection, tlp: Tlp, stix_id: string) => {
    const any = readSelection({ limit: '1', 'match[version]': 'all' }, { stix_id })
    if ((await readPage(store, collection, tlp, any, ['_id'])).rows.length === 0) throw notFound()
  }

  service.feed(taxiiFeeds.getManifest, async ({ request, reply, params, query, reader }) => {
    negotiate(request)
    const selection = readSelection(query)
    const collection = await findCollection(store, params.collection, reader.tlp)
    const page = await readPage(store, collection, reader.tlp, selection, ['stix_id', 'version', 'spec'])
    note(reply, page)
    return json(listPage('objects', page.rows.map(manifestEntry), page.next))
  })
  service.feed(taxiiFeeds.getObjects, async ({ request, reply, params, query, reader }) => {
    negotiate(request)
    const selection = readSelection(query)
    const collection = await findCollection(store, params.collection, reader.tlp)
    const page = await readPage(store, collection, reader.tlp, selection, ['raw'])
    note(reply, page)
    return new Streamed<unknown>(envelope(page), TAXII_TYPE)
  })
  service.feed(taxiiFeeds.getObject, async ({ request, reply, params, query, reader }) => {
    negotiate(request)
    const selection = readSelection(query, { stix_id: params.object })
    const collection = await findCollection(store, params.collection, reader.tlp)
    const page = await readPage(store, collection, reader.tlp, selection, ['raw'])
    if (page.rows.length === 0) await requireObject(collection, reader.tlp, params.object)
    note(reply, page)
    return new Streamed<unknown>(envelope(page), TAXII_TYPE)
  })
  service.feed(taxiiFeeds.getVersions, async ({ request, reply, params, query, reader }) => {
    negotiate(request)
    const selection = readSelection({ ...query, 'match[version]': 'all' }, { stix_id: params.object })
    const collection = await findCollection(store, params.collection, reader.tlp)
    const page = await readPage(store, collection, reader.tlp, selection, ['stix_id', 'version', 'spec'])
    if (page.rows.length === 0) await requireObject(collection, reader.tlp, params.object)
    note(reply, page)
    const versions = page.rows.map(row => manifestEntry(row).version)
    return json(listPage('versions', versions, page.next))
  })
}
