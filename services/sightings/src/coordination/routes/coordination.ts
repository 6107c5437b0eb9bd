import { coordinationApi, LIMITS } from '@iodine/contracts'
import type { StoreService } from '@iodine/service-kit'
import type { SightingStore } from '../../store.js'
import { createRun } from '../commands/create-run.js'
import { removeRun } from '../commands/remove-run.js'
import { presentNetwork, presentRun } from '../presenters/run.js'
import { readEvidence, readLeftOut } from '../queries/edge-evidence.js'
import { findRun, findRuns } from '../queries/find-run.js'

export const addCoordinationRoutes = (service: StoreService, store: SightingStore): void => {
  const { models } = store
  service.route(coordinationApi.createRun, async ({ body, user }) =>
    presentRun(await createRun(store, user.id, body)),
  )
  service.route(coordinationApi.getRuns, async ({ user }) =>
    (await findRuns(models, user.id)).map(presentRun),
  )
  service.route(coordinationApi.getRun, async ({ params, user }) =>
    presentRun(await findRun(models, user.id, params.id)),
  )
  service.route(coordinationApi.deleteRun, async ({ params, user }) => {
    const { _id } = await findRun(models, user.id, params.id)
    await removeRun(models, _id)
    return { id: params.id }
  })
  service.route(coordinationApi.getNetwork, async ({ params, query, user }) => {
    const run = await findRun(models, user.id, params.id)
    const edges = await models.edges
      .find(run.state === 'done' ? { run: run._id } : { _id: null }, { pairs: 0, owners: 0, foreign: 0 })
      .sort({ rank: 1 })
      .limit(query.limit ?? LIMITS.coordinationEdges)
      .lean()
    return presentNetwork(edges)
  })
  service.route(coordinationApi.getShares, async ({ params, query, user }) =>
    readEvidence(store, await findRun(models, user.id, params.id), query),
  )
  service.route(coordinationApi.getLeftOut, async ({ params, user }) =>
    readLeftOut(store, await findRun(models, user.id, params.id)),
  )
}
