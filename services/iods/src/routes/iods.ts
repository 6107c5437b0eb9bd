import { foldValue, iodsApi, iodsInternal, repairInternal } from '@iodine/contracts'
import { type StoreService, sendList } from '@iodine/service-kit'
import { announceIod, repairAnnouncements } from '../commands/announce.js'
import { createIod, foldKey } from '../commands/create-iod.js'
import { voteIod } from '../commands/vote-iod.js'
import type { IodDoc, IodModel } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { createIodQueries } from '../queries/list-iods.js'

const NEWEST_FIRST = { created_at: -1, _id: -1 } as const

export const addIodRoutes = (service: StoreService, iods: IodModel): void => {
  const queries = createIodQueries(iods, service.users)
  const present = (docs: IodDoc[]) => presentIods(service.users, docs)
  const presentOne = async (doc: IodDoc) => (await present([doc]))[0]

  service.route(iodsApi.listIods, async ({ query, reply }) => {
    const { filter, facets } = await queries.prepare(query)
    const total = async () => (await facets()).total
    return sendList(reply, { model: iods, filter, limit: query.limit, cursor: query.cursor, present, total })
  })

  service.route(iodsApi.getIodFacets, async ({ query }) => (await queries.prepare(query)).facets())

  service.route(iodsApi.createIod, async ({ body, user }) => {
    const doc = await createIod(iods, user.id, body)
    await announceIod(iods, service.queues, doc).catch(error =>
      service.log.warn({ err: error, iod: doc._id.toHexString() }, 'not announced yet'),
    )
    return presentOne(doc)
  })

  service.route(iodsApi.lookupIods, async ({ body }) => {
    const keys = new Set(body.values.filter(value => foldValue(value) !== '').map(foldKey))
    const docs = await iods
      .find({ fold_key: { $in: [...keys] } })
      .sort(NEWEST_FIRST)
      .lean<IodDoc[]>()
    return present(docs)
  })

  service.route(iodsApi.voteIod, async ({ params, body, user }) =>
    presentOne(await voteIod(iods, user.id, params.id, body.vote_type)),
  )

  service.internal(iodsInternal.getIods, async ({ body }) =>
    present(await iods.find({ _id: { $in: body.ids } }).lean<IodDoc[]>()),
  )

  service.internal(repairInternal.repair, async () => ({
    repaired: await repairAnnouncements(iods, service.queues),
  }))
}
