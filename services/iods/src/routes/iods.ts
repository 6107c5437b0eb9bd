import { foldValue, iodsApi, iodsInternal, repairInternal } from '@iodine/contracts'
import { type StoreService, sendList } from '@iodine/service-kit'
import { announceIod, repairAnnouncements } from '../commands/announce.js'
import { createIod, foldKey } from '../commands/create-iod.js'
import { voteIod } from '../commands/vote-iod.js'
import { BY_DATE, type IodDoc, type IodModel } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { createIodQueries } from '../queries/list-iods.js'

export const addIodRoutes = (service: StoreService, iods: IodModel): void => {
  const prepareQuery = createIodQueries(iods, service.users)
  const present = (docs: IodDoc[]) => presentIods(service.users, docs)
  const presentOne = async (doc: IodDoc) => (await present([doc]))[0]

  service.route(iodsApi.listIods, async ({ query: { limit, cursor, ...filters }, reply }) => {
    const { filter, facets, find } = await prepareQuery(filters)
    const total = async () => (await facets()).total
    return sendList(reply, { model: iods, filter, limit, cursor, present, total, find })
  })

  service.route(iodsApi.getIodFacets, async ({ query }) => (await prepareQuery(query)).facets())

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
      .sort(BY_DATE)
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
