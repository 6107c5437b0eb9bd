import { mispFeeds, sealsInternal } from '@iodine/contracts'
import { isKnownEtag, notFound, type ReplyHeaders, type StoreService, Streamed } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import { findEvent, hashesTag, readEventFile, readHashes, readManifest } from '../queries/feed-events.js'
import { sha256Of } from '../queries/publishable.js'

const SIGN_MS = 5_000
const JSON_TYPE = 'application/json'

interface Reply extends ReplyHeaders {
  code(status: number): unknown
}

/** Adds the routes of the MISP feed: a folder of files whose bytes stay equal while nothing changes. */
export const addMispFeedRoutes = (service: StoreService, store: Store): void => {
  /** Answers 304 if the client has the file already. */
  const conditional = (
    headers: { 'if-none-match'?: string | undefined },
    reply: Reply,
    tag: string,
    content: () => ConstructorParameters<typeof Streamed>[0],
    type: string,
  ) => {
    const etag = `"${tag}"`
    reply.header('etag', etag)
    reply.header('cache-control', 'private, no-cache')
    if (isKnownEtag(headers['if-none-match'], etag)) {
      reply.code(304)
      return new Streamed<unknown>(null)
    }
    return new Streamed<unknown>(content(), type)
  }

  service.feed(mispFeeds.getManifestFile, async ({ request, reply, reader }) => {
    const manifest = await readManifest(store, reader.tlp)
    return conditional(request.headers, reply, sha256Of(manifest), () => manifest, JSON_TYPE)
  })
  service.feed(mispFeeds.getManifestSignature, async ({ request, reply, reader }) => {
    const manifest = await readManifest(store, reader.tlp)
    const { key_id, sig } = await service.peers.call('collector', sealsInternal.signManifest, {
      body: new Uint8Array(manifest),
      ms: SIGN_MS,
    })
    reply.header('x-key-id', key_id)
    const tag = sha256Of(`${key_id} ${sha256Of(manifest)}`)
    return conditional(request.headers, reply, tag, () => Buffer.from(`${sig}\n`), 'text/plain')
  })
  service.feed(mispFeeds.getHashes, async ({ request, reply, reader }) => {
    const tag = await hashesTag(store, reader.tlp)
    return conditional(request.headers, reply, tag, () => readHashes(store, reader.tlp), 'text/csv')
  })
  service.feed(mispFeeds.getEventFile, async ({ request, reply, params, reader }) => {
    const uuid = /^([0-9a-f-]{36})\.json$/i.exec(params.file)?.[1]
    if (!uuid) throw notFound()
    const doc = await findEvent(store, uuid, reader.tlp)
    return conditional(request.headers, reply, doc.sha256, () => readEventFile(store, doc), JSON_TYPE)
  })
}
