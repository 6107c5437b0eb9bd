import { capturesApi } from '@iodine/contracts'
import {
  createKeyedLimiter,
  notFound,
  type ReplyHeaders,
  type StoreService,
  Streamed,
  sendList,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { CollectorStore } from '../../store.js'
import { blobKey } from '../blobs/index.js'
import { createCapture } from '../commands/create-capture.js'
import { eraseCapture } from '../commands/erase-captures.js'
import { putBlob } from '../commands/put-blob.js'
import { pictureType } from '../policies/picture-type.js'
import { ownCapture, type ReadableCapture, readableCapture } from '../policies/read-capture.js'
import { presentCapture, presentSummaries } from '../presenters/capture.js'
import { archiveOf } from '../queries/archive-capture.js'

/** Sends bytes as a download that browsers never render or run. */
const download = (reply: ReplyHeaders, bytes: Uint8Array, name: string, type: string) => {
  reply.header('content-disposition', `attachment; filename="${name}"`)
  reply.header('x-content-type-options', 'nosniff')
  reply.header('content-security-policy', "default-src 'none'; sandbox")
  return new Streamed<unknown>(bytes, type)
}

/** Adds the routes for captures of users. */
export const addCaptureRoutes = (service: StoreService, store: CollectorStore): void => {
  const { captures, blobs } = store
  /** @throws HttpError 404 for a blob that is not stored */
  const bytesOf = async ({ _id }: ReadableCapture, sha256: string) => {
    const bytes = await blobs.get(blobKey(_id.toHexString(), sha256))
    if (!bytes) throw notFound()
    return bytes
  }

  service.route(capturesApi.createCapture, async ({ body, user, reply }) => {
    const { isNew, ...answer } = await createCapture(store, user.id, body)
    if (!isNew) reply.code(capturesApi.createCapture.knownStatus)
    return answer
  })
  service.route(capturesApi.putBlob, async ({ params, body, user }) => {
    await putBlob(store, user.id, params, body)
    return { sha256: params.sha256, bytes: body.length }
  })
  service.route(capturesApi.listCaptures, async ({ query: { record_id, limit, cursor }, user, reply }) => {
    const user_id = new Types.ObjectId(user.id)
    const filter = {
      user_id,
      ...(record_id && { record_id: { $in: record_id.map(id => new Types.ObjectId(id)) } }),
    }
    return sendList(reply, { model: captures, filter, limit, cursor, present: presentSummaries })
  })
  service.route(capturesApi.getCapture, async ({ params, user }) =>
    presentCapture(await readableCapture(store, user.id, params.id), user.id),
  )
  service.route(capturesApi.getCaptureText, async ({ params, user }) => {
    const capture = await readableCapture(store, user.id, params.id)
    const blob = capture.manifest.blobs.find(({ role }) => role === 'text')
    if (!blob) throw notFound()
    return { text: new TextDecoder().decode(await bytesOf(capture, blob.sha256)) }
  })
  service.route(capturesApi.getBlob, async ({ params, user, reply }) => {
    const capture = await readableCapture(store, user.id, params.id)
    const blob = capture.manifest.blobs.find(({ sha256 }) => sha256 === params.sha256)
    if (!blob) throw notFound()
    const bytes = await bytesOf(capture, blob.sha256)
    return download(reply, bytes, blob.sha256, pictureType(bytes) ?? 'application/octet-stream')
  })
  /** Archives are built in memory: one at a time for each user. */
  const limiter = createKeyedLimiter()
  const subjectOf = ({ id }: { id: string }) => ({ kind: 'capture', id }) as const
  service.route(capturesApi.getWacz, async call => {
    const { params, user, reply } = call
    const what = { action: 'capture.exported', subject: subjectOf(params), count: 1, detail: 'wacz' } as const
    const capture = await readableCapture(store, user.id, params.id)
    return limiter(user.id, async () => {
      const bytes = await service.audit.during(call, what, () => archiveOf(store, service.peers, capture))
      return download(reply, bytes, `capture-${params.id}.wacz`, 'application/wacz+zip')
    })
  })
  service.route(capturesApi.shareCapture, async call => {
    const { params, body, user } = call
    const { _id } = await ownCapture(store, user.id, params.id)
    const action = body.shared ? 'capture.shared' : 'capture.unshared'
    await service.audit.during(call, { action, subject: subjectOf(params) }, async note => {
      const { modifiedCount } = await captures.updateOne(
        { _id, state: { $ne: 'erased' } },
        { $set: { shared: body.shared } },
      )
      note({ isNothing: modifiedCount === 0 })
    })
    return presentCapture(await ownCapture(store, user.id, params.id), user.id)
  })
  service.route(capturesApi.deleteCapture, async ({ params, user }) => {
    await eraseCapture(store, await ownCapture(store, user.id, params.id))
    return { id: params.id }
  })
}
