import {
  capturesApi,
  MISP_MANIFEST_CONTEXT,
  reportSealsInternal,
  sealsApi,
  sealsInternal,
} from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import type { CollectorStore } from '../../store.js'
import { createAppender, publishKey } from '../commands/append-to-log.js'
import { sealCapture } from '../commands/seal-capture.js'
import { sealReport } from '../commands/seal-report.js'
import type { SealKey } from '../policies/seal-key.js'
import { presentCheckpoint } from '../presenters/capture.js'
import { checkpointOf, consistencyOf, inclusionOf, keysOf, sealedOf } from '../queries/read-log.js'

/** Adds the routes that seal by the service's key, and those of the log of seals. */
export const addSealRoutes = (service: StoreService, store: CollectorStore, key: SealKey): void => {
  const { log } = store
  const append = createAppender(store, key)
  /** Publication of the key, which precedes its first seal. */
  let published: Promise<void> | undefined
  const publish = () => {
    published ??= publishKey(log, key).catch(error => {
      published = undefined
      throw error
    })
    return published
  }

  service.internal(sealsInternal.signManifest, async ({ body }) => {
    await publish()
    const signed = Buffer.concat([Buffer.from(MISP_MANIFEST_CONTEXT), body])
    return { key_id: key.id, sig: key.signBytes(signed).toString('base64') }
  })
  service.internal(reportSealsInternal.sealReport, async ({ body }) => {
    await publish()
    return sealReport(store, append, key, body)
  })
  service.route(capturesApi.sealCapture, async ({ params, user }) => {
    await publish()
    return sealedOf(log, await sealCapture(store, append, user.id, params.id))
  })

  service.route(sealsApi.getCheckpoint, async () => presentCheckpoint(await checkpointOf(log)))
  service.route(sealsApi.getSealKeys, async () => {
    await publish()
    return keysOf(log)
  })
  service.route(sealsApi.getConsistency, async ({ query: { from, to } }) => ({
    from,
    to,
    path: await consistencyOf(log, from, to),
  }))
  service.route(sealsApi.getInclusion, ({ params, query }) => inclusionOf(log, params.seq, query.size))
}
