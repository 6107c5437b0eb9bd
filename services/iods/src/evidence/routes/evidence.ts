import { type Evidence, evidenceApi, evidenceInternal } from '@iodine/contracts'
import { notFound, type StoreService, sendList } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { IodModels } from '../../models.js'
import { addEvidence } from '../commands/add-evidence.js'
import { deleteEvidence, redactEvidence } from '../commands/delete-evidence.js'
import { importEvidence } from '../commands/import-evidence.js'
import { BY_IOD, type EvidenceDoc } from '../models/evidence.js'
import { presentEvidence, presentQuotes } from '../presenters/evidence.js'
import { countEvidence, findCaptureEvidence, findEvidence } from '../queries/list-evidence.js'

/** Pieces of evidence per request for seals. */
const BATCH = 1_000

export const addEvidenceRoutes = (service: StoreService, models: IodModels): void => {
  const { iods, evidence } = models
  const present = (userId: string, docs: EvidenceDoc[]) => presentEvidence(service, userId, docs)

  service.route(evidenceApi.countEvidence, async ({ body }) => countEvidence(models, body.ids))

  service.route(
    evidenceApi.listEvidence,
    async ({ params: { id }, query: { limit, cursor }, user, reply }) => {
      if (!(await iods.exists({ _id: id }))) throw notFound()
      return sendList(reply, {
        limit,
        cursor,
        find: (after, size) => findEvidence(evidence, id, after, size),
        total: async () => (await countEvidence(models, [id]))[id.toLowerCase()] ?? 0,
        present: docs => present(user.id, docs),
      })
    },
  )

  service.route(evidenceApi.addEvidence, async ({ params, body, user }) => {
    const doc = await addEvidence(models, service.peers, user.id, params.id, body)
    return (await present(user.id, [doc]))[0] as Evidence
  })

  service.route(evidenceApi.importEvidence, async call => {
    const { params, body, user } = call
    const what = { action: 'evidence.imported', subject: { kind: 'iod', id: params.id } } as const
    return service.audit.during(call, what, async note => {
      note({ isNothing: true })
      return importEvidence(models, user.id, params.id, body, count => note({ count, isNothing: false }))
    })
  })

  service.route(evidenceApi.deleteEvidence, async ({ params: { id, evidence_id }, user }) => {
    await deleteEvidence(models, user.id, id, evidence_id)
    return { id: evidence_id }
  })

  service.internal(evidenceInternal.citedCaptures, async ({ body }) => {
    const captures = { $in: body.ids.map(id => new Types.ObjectId(id)) }
    const cited = await evidence.distinct('capture_id', { kind: 'capture', capture_id: captures })
    return cited.flatMap(id => id?.toHexString() ?? [])
  })

  service.internal(evidenceInternal.getCaptureEvidence, async ({ body }) => {
    const { docs, values } = await findCaptureEvidence(models, body.capture_id)
    const quotes = await presentQuotes(service.users, docs)
    return quotes.map(quote => ({ ...quote, value: values.get(quote.iod_id) ?? '' }))
  })

  service.internal(evidenceInternal.redactEvidence, async ({ body: { id } }) => {
    const what = { action: 'evidence.redacted', subject: { kind: 'evidence', id } } as const
    return service.audit.during('operator', what, async note => {
      const deleted = await redactEvidence(models, id)
      note({ count: deleted, isNothing: deleted === 0 })
      return { deleted }
    })
  })

  service.internal(evidenceInternal.upsertEvidence, async ({ body }) => {
    const sums = { added: 0, known: 0, left_out: 0 }
    for (const { id, quotes } of body.iods) {
      const counts = await importEvidence(models, body.user_id, id, { quotes })
      for (const name of ['added', 'known', 'left_out'] as const) sums[name] += counts[name]
    }
    return sums
  })

  service.internal(evidenceInternal.exportEvidence, async ({ body }) => {
    const of = { $in: body.ids.map(id => new Types.ObjectId(id)) }
    const docs = await evidence.find({ iod_id: of }).sort(BY_IOD).limit(body.limit).lean<EvidenceDoc[]>()
    const answer: Evidence[] = []
    for (let start = 0; start < docs.length; start += BATCH)
      answer.push(...(await present(body.user_id, docs.slice(start, start + BATCH))))
    return answer
  })
}
