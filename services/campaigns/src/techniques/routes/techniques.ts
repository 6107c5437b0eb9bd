import { campaignsApi, type DisarmList, LIMITS, techniquesInternal } from '@iodine/contracts'
import {
  createRateLimit,
  createSharedReads,
  hashOf,
  ifFound,
  isKnownEtag,
  type StoreService,
  Streamed,
} from '@iodine/service-kit'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { CampaignsConfig } from '../../config.js'
import type { Store } from '../../models.js'
import { markUnderRevision } from '../../reports/commands/review.js'
import { deleteQuote, redactQuotes } from '../commands/change-quotes.js'
import { chooseTechnique, removeTechnique, replaceTechnique } from '../commands/change-techniques.js'
import { decideProposals } from '../commands/decide-proposals.js'
import { propose } from '../commands/propose.js'
import { finishProposals, getProposalWork } from '../commands/work-on-proposals.js'
import { presentDisarm } from '../presenters/disarm.js'
import { presentProposals, presentQuotes, presentTechniques } from '../presenters/techniques.js'
import { findProposals, textsOf } from '../queries/proposals.js'
import { countAllTechniques, countQuotes, findQuotes } from '../queries/quotes.js'
import { findTechniques } from '../queries/techniques.js'

/** Time after which the next read of all campaigns begins, even if the running one has not ended. */
const COUNT_MS = 30_000

/** Adds the routes of the DISARM techniques of campaigns. Like members, any user may add and remove them. */
export const addTechniqueRoutes = (service: StoreService, store: Store): void => {
  const { campaigns, techniqueQuotes } = store
  const present = async (id: string, techniques: TechniqueDoc[]) =>
    presentTechniques(service.users, techniques, await countQuotes(techniqueQuotes, id))

  const disarm = JSON.stringify(presentDisarm())
  const etag = `"${hashOf(disarm)}"`
  service.route(campaignsApi.getDisarm, async ({ request, reply }) => {
    reply.header('etag', etag)
    reply.header('cache-control', 'private, no-cache')
    if (!isKnownEtag(request.headers['if-none-match'], etag)) return new Streamed<DisarmList>(disarm)
    reply.code(304)
    return new Streamed<DisarmList>(null)
  })
  // It reads all campaigns: concurrent callers share a read.
  const counting = createSharedReads<'all', Awaited<ReturnType<typeof countAllTechniques>>>(COUNT_MS)
  service.route(campaignsApi.countTechniques, () =>
    counting('all', () => countAllTechniques(campaigns, techniqueQuotes)),
  )
  service.route(campaignsApi.listTechniques, async ({ params: { id } }) =>
    present(id, await findTechniques(campaigns, id)),
  )
  service.route(campaignsApi.addTechnique, async ({ params: { id, tid }, user }) =>
    present(id, await chooseTechnique(store, user.id, id, tid)),
  )
  service.route(campaignsApi.removeTechnique, async call => {
    const { id, tid } = call.params
    const what = {
      action: 'campaign.technique-removed',
      subject: { kind: 'campaign', id },
      count: 1,
    } as const
    return service.audit.during(call, what, async note => {
      const { isRemoved, techniques } = await removeTechnique(store, call.user.id, id, tid)
      if (!isRemoved) note({ isNothing: true })
      return present(id, techniques)
    })
  })
  service.route(campaignsApi.replaceTechnique, async ({ params: { id, tid }, body, user }) =>
    present(id, await replaceTechnique(store, user.id, id, tid, body.with)),
  )
  service.route(campaignsApi.listQuotes, async ({ params: { id, tid } }) => {
    await findTechniques(campaigns, id)
    return presentQuotes(service.users, await findQuotes(techniqueQuotes, id, tid))
  })
  service.route(campaignsApi.deleteQuote, async ({ params: { id, tid, qid }, user }) => {
    await deleteQuote(store, user.id, id, tid, qid)
    return { id: qid }
  })
  service.internal(techniquesInternal.redactQuotes, async ({ body: { id } }) => {
    const what = { action: 'evidence.redacted', subject: { kind: 'evidence', id } } as const
    return service.audit.during('operator', what, async note => {
      const deleted = await redactQuotes(techniqueQuotes, id)
      await markUnderRevision(store, { source: id }, 'redaction')
      note({ count: deleted, isNothing: deleted === 0 })
      return { deleted }
    })
  })
}

/** Adds the routes of the runs that propose techniques. Only the user who requested a run sees it. */
export const addProposalRoutes = (
  service: StoreService,
  store: Store,
  { RATE_LIMITS, REDIS_PREFIX }: Pick<CampaignsConfig, 'RATE_LIMITS' | 'REDIS_PREFIX'>,
): void => {
  const { peers, users } = service
  const runs = createRateLimit(service.redis, {
    name: 'proposals',
    points: LIMITS.proposalsAnHour,
    seconds: 3_600,
    enabled: RATE_LIMITS === 'on',
    prefix: REDIS_PREFIX,
  })
  service.route(campaignsApi.propose, async ({ params, body, user }) => ({
    id: await propose(store, peers, runs, user.id, params.id, body),
  }))
  service.route(campaignsApi.getProposals, async ({ params: { id, pid }, user }) => {
    const run = await findProposals(store.proposals, user.id, id, pid)
    if (run.state !== 'done' || run.items.length === 0) return presentProposals(run, [])
    const texts = await ifFound(textsOf(store, peers, run))
    return texts
      ? presentProposals(run, texts)
      : presentProposals({ ...run, state: 'failed', failure: 'gone' }, [])
  })
  service.route(campaignsApi.decideProposals, async ({ params: { id, pid }, body, user }) =>
    presentTechniques(
      users,
      await decideProposals(store, peers, user.id, id, pid, body),
      await countQuotes(store.techniqueQuotes, id),
    ),
  )
  service.internal(techniquesInternal.getProposalWork, async ({ params: { pid } }) =>
    getProposalWork({ store, peers }, pid),
  )
  service.internal(techniquesInternal.finishProposals, async ({ params: { pid }, body }) => ({
    state: await finishProposals({ store, peers }, pid, body),
  }))
}
