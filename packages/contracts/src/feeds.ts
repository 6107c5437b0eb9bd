import { z } from 'zod'
import { type EndpointSpec, type FeedEndpoint, internalEndpoint, routed } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, text, time } from './primitives.js'
import { FEED_KEY_READS, FEED_TLP_LEVELS } from './vocabulary.js'

/** Defines a feed's endpoint; its answers are text or bytes. */
const feed = <
  F extends FeedEndpoint['form'],
  R extends `GET /${string}`,
  const S extends Pick<EndpointSpec, 'summary' | 'params' | 'query' | 'produces' | 'conditional'>,
>(
  form: F,
  route: R,
  spec: S,
) => ({ ...spec, ...routed(route), form, response: z.unknown() })

/** Key by which another system pulls feeds. The key itself is shown once, at creation. */
export const feedKey = z.strictObject({
  id,
  label: z.string(),
  reads: z.enum(FEED_KEY_READS),
  /** Strictest TLP level that it may read. */
  tlp: z.enum(FEED_TLP_LEVELS),
  created_at: time,
  /** Null: it does not expire. */
  expires_at: time.nullable(),
  /** To the minute; null: never. */
  last_used_at: time.nullable(),
})
export type FeedKey = z.output<typeof feedKey>

/** Media type of TAXII 2.1. */
export const TAXII_TYPE = 'application/taxii+json;version=2.1'
/** The API root of the campaigns. */
const ROOT = '/taxii2/iodine'
const collection = z.object({ collection: z.string().max(100) })
/** Ids and types, separated by commas. */
const list = text(8_000).optional()
const filters = {
  added_after: text(100).optional(),
  limit: text(20).optional(),
  next: text(200).optional(),
  'match[id]': list,
  'match[type]': list,
  'match[version]': list,
  'match[spec_version]': list,
}
const selected = z.object(filters)

/** Collections by TAXII 2.1 (OASIS Standard, 10 June 2021). Unknown parameters are ignored. */
export const taxiiFeeds = {
  discover: feed('taxii', 'GET /taxii2', { summary: 'Discovery: the API roots' }),
  getRoot: feed('taxii', `GET ${ROOT}`, { summary: 'The API root' }),
  listCollections: feed('taxii', `GET ${ROOT}/collections`, {
    summary: 'The collections that the key can read: one per published campaign, and `all`',
  }),
  getCollection: feed('taxii', `GET ${ROOT}/collections/:collection`, {
    summary: 'A collection, by id or alias',
    params: collection,
  }),
  getManifest: feed('taxii', `GET ${ROOT}/collections/:collection/manifest`, {
    summary: 'The manifest of a collection, in pages',
    params: collection,
    query: selected,
  }),
  getObjects: feed('taxii', `GET ${ROOT}/collections/:collection/objects`, {
    summary: `The objects of a collection, in pages of at most ${LIMITS.feedPageMax} objects or 5 MiB`,
    params: collection,
    query: selected,
  }),
  getObject: feed('taxii', `GET ${ROOT}/collections/:collection/objects/:object`, {
    summary: 'The versions of an object',
    params: collection.extend({ object: z.string().max(300) }),
    query: selected,
  }),
  getVersions: feed('taxii', `GET ${ROOT}/collections/:collection/objects/:object/versions`, {
    summary: 'The times of an object’s versions',
    params: collection.extend({ object: z.string().max(300) }),
    query: selected,
  }),
} as const

const misp = { conditional: true } as const
/** A feed of MISP: a folder with a manifest and one file an event. A file is the same until its content changes. */
export const mispFeeds = {
  getManifestFile: feed('misp', 'GET /feeds/misp/manifest.json', {
    summary: 'The events that the key can read',
    ...misp,
  }),
  getManifestSignature: feed('misp', 'GET /feeds/misp/manifest.json.sig', {
    summary:
      'Signature of that manifest, in base64: Ed25519 with the key `X-Key-Id` of `GET /seals/keys`, over `iodine misp manifest`, a line feed, and the manifest’s bytes',
    produces: 'text/plain',
    ...misp,
  }),
  getHashes: feed('misp', 'GET /feeds/misp/hashes.csv', {
    summary: 'MD5s of the events’ values, each with the UUID of its event',
    produces: 'text/csv',
    ...misp,
  }),
  getEventFile: feed('misp', 'GET /feeds/misp/:file', {
    summary: 'An event: `UUID.json`',
    params: z.object({ file: z.string().max(100) }),
    ...misp,
  }),
} as const

/** Feed of the key owner's notifications, for feed readers. */
export const atomFeeds = {
  getNotificationFeed: feed('atom', 'GET /atom/notifications', {
    summary: 'The latest notifications of the key’s owner, as an Atom feed (RFC 4287)',
    produces: 'application/atom+xml',
    conditional: true,
  }),
} as const

/** Prefix of the signed bytes of a manifest, so that no other signature is valid for one. */
export const MISP_MANIFEST_CONTEXT = 'iodine misp manifest\n'

/** Served by the service with the key of the seals. */
export const sealsInternal = {
  signManifest: internalEndpoint('POST /internal/seals/sign-manifest', {
    summary:
      'Signs the bytes of a feed’s manifest, after `MISP_MANIFEST_CONTEXT`: Ed25519, base64. The key is published before',
    raw: true,
    bodyLimit: LIMITS.importBytes,
    response: z.strictObject({ key_id: z.string(), sig: z.string() }),
  }),
} as const
