import type { BodyOf, TechniqueProposals, techniquesInternal } from '@iodine/contracts'
import { byId, isNotFound, type KindSpec, notFound, type Peers, type StoreService } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { ProposalDoc, ProposalItem } from '../models/proposal.js'
import { limitOf, type NamedTechnique, type ReadSentence, selectProposed } from '../policies/proposed.js'
import { findRejected, textsOf } from '../queries/proposals.js'
import { sentencesIn } from '../queries/source-texts.js'
import { proposeInThread } from '../thread/propose.js'

/** Interval of the checks that a run has a job. */
const GRACE_MS = 15_000
/** Maximum duration of a run by the AI provider. */
const RUN_MS = 10 * 60_000

interface Context {
  store: Store
  peers: Peers
  queues: StoreService['queues']
}

/** Ends a waiting run. Resolves to false if it is not waiting. */
const endRun = async (
  { proposals, work }: Store,
  _id: Types.ObjectId,
  result: Partial<ProposalDoc> & Pick<ProposalDoc, 'state'>,
): Promise<boolean> => {
  const { matchedCount } = await proposals.updateOne(
    { _id, state: 'waiting' },
    { $set: result, $unset: { open: 1 } },
  )
  await work.proposals.complete(_id.toHexString())
  return matchedCount > 0
}

const failRun = (
  store: Store,
  { _id }: Pick<ProposalDoc, '_id'>,
  failure: NonNullable<TechniqueProposals['failure']>,
) => endRun(store, _id, { state: 'failed', failure })

/** Returns the sentences of a waiting run; null if their text was deleted, which ends the run. */
const readSentences = async (
  { store, peers }: Pick<Context, 'store' | 'peers'>,
  run: ProposalDoc,
): Promise<ReadSentence[] | null> => {
  try {
    return sentencesIn(await textsOf(store, peers, run)).sentences
  } catch (error) {
    if (!isNotFound(error)) throw error
    await failRun(store, run, 'gone')
    return null
  }
}

const itemsOf = (
  named: readonly NamedTechnique[],
  sentences: readonly ReadSentence[],
  rejected: ReadonlySet<string>,
  limit: number,
): { items: ProposalItem[]; dropped: number } => {
  const { items, dropped } = selectProposed(named, sentences, rejected, limit)
  return {
    items: items.map(({ tid, sentence: { source_id, start, end } }) => ({ tid, source_id, start, end })),
    dropped,
  }
}

/** Outbox handler: runs the rules, or adds the job of the AI provider until it has ended. */
export const proposalWork = (of: () => Context): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 2,
  backoffMaxMs: GRACE_MS,
  async handle([entry]) {
    const context = of()
    const { store, queues } = context
    const run = await store.proposals.findOne({ _id: entry?.id, state: 'waiting' }).lean<ProposalDoc>()
    if (!run) return
    if (Date.now() - run.at.getTime() > RUN_MS) {
      await failRun(store, run, 'unavailable')
      return
    }
    const id = run._id.toHexString()
    if (run.mode === 'ai') {
      const data = { proposal_id: id, user_id: run.user_id.toHexString() }
      await queues.add('techniques', data, {
        jobId: `techniques-${id}`,
        attempts: 3,
        removeOnComplete: true,
        removeOnFail: true,
      })
      return GRACE_MS
    }
    const sentences = await readSentences(context, run)
    if (!sentences) return
    const rejected = await findRejected(store.proposals, run)
    const limit = limitOf(sentences.length)
    const named = await proposeInThread({
      sentences: sentences.map(({ exact }) => exact),
      limit: limit + rejected.size,
    })
    await endRun(store, run._id, { state: 'done', ...itemsOf(named, sentences, rejected, limit) })
  },
})

/**
 * Returns the input of the techniques worker.
 * @throws HttpError 404 for a run that is not waiting, or whose text was deleted
 */
export const getProposalWork = async (context: Pick<Context, 'store' | 'peers'>, id: string) => {
  const run = await context.store.proposals
    .findOne({ _id: id, state: 'waiting', mode: 'ai' })
    .lean<ProposalDoc>()
  const sentences = run && (await readSentences(context, run))
  if (!sentences) throw notFound()
  return { user_id: run.user_id.toHexString(), sentences: sentences.map(({ exact }) => exact) }
}

/**
 * Stores the result of the techniques worker. Idempotent.
 * @throws HttpError 404 for an unknown run
 */
export const finishProposals = async (
  context: Pick<Context, 'store' | 'peers'>,
  id: string,
  result: BodyOf<typeof techniquesInternal.finishProposals>,
): Promise<ProposalDoc['state']> => {
  const { store } = context
  const run = await store.proposals.findById(id).lean<ProposalDoc>()
  if (!run) throw notFound()
  if (run.state !== 'waiting') return run.state
  if ('failure' in result) await failRun(store, run, result.failure)
  else {
    const sentences = await readSentences(context, run)
    if (!sentences) return 'failed'
    const rejected = await findRejected(store.proposals, run)
    const { items, dropped } = itemsOf(result.items, sentences, rejected, result.items.length)
    const { model } = result
    await endRun(store, run._id, { state: 'done', model, items, dropped: dropped + result.dropped })
  }
  return 'failure' in result ? 'failed' : 'done'
}
