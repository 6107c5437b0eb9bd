import type { ContributionType, DomainEvent } from '@iodine/contracts'
import { inTransaction } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { ContributionDoc } from '../models/contribution.js'
import type { CommunityModels } from '../models/index.js'
import { searchFields, type UserDoc } from '../models/user.js'
import { countTerms } from './count-names.js'
import { type CreationEvent, describeContribution, type IodCreated } from './describe.js'
import { nextUser, UNKNOWN_USER, type UserEvent } from './next-user.js'

/**
 * Applies events in order. Each has a separate transaction, which changes a contribution together with its user's
 * totals; consecutive `iod.created` events share one. The result does not depend on repetition, order or delay of
 * events.
 */
export const applyEvents = async (models: CommunityModels, events: readonly DomainEvent[]): Promise<void> => {
  const isCreatedIod = (event: DomainEvent | undefined) => event?.type === 'iod.created'
  for (let at = 0; at < events.length; ) {
    let end = at + 1
    while (isCreatedIod(events[at]) && isCreatedIod(events[end])) end++
    const batch = events.slice(at, end)
    await atomically(models, session =>
      batch.length > 1
        ? addIods(models, batch as IodCreated[], session)
        : apply(models, batch[0] as DomainEvent, session),
    )
    at = end
  }
}

const addIods = async (
  models: CommunityModels,
  events: readonly IodCreated[],
  session: ClientSession,
): Promise<void> => {
  for (const userId of new Set(events.map(({ data }) => data.user_id))) {
    if (await isDeleted(models, userId, session)) continue
    const own = new Map(
      events.filter(({ data }) => data.user_id === userId).map(event => [event.data.id, event]),
    )
    const known = await models.contributions
      .find({ _id: { $in: [...own.keys()] } }, { _id: 1 })
      .session(session)
      .lean<Pick<ContributionDoc, '_id'>[]>()
    for (const { _id } of known) own.delete(_id.toHexString())
    if (own.size === 0) continue
    const user_id = new Types.ObjectId(userId)
    await models.contributions.insertMany(
      [...own.values()].map(event => ({
        _id: new Types.ObjectId(event.data.id),
        user_id,
        type: 'IOD',
        ...describeContribution(event),
        created_at: new Date(event.data.created_at),
        deleted: false,
      })),
      { session },
    )
    await countContribution(models, user_id, 'IOD', own.size, session)
  }
}

/** Runs `work` in a transaction. Concurrent first events of a user fail with a duplicate key, which is retried. */
const atomically = (
  { mongo }: CommunityModels,
  work: (session: ClientSession) => Promise<void>,
): Promise<void> => inTransaction(mongo, work, { retriesDuplicates: true })

/** Deletes a contribution that its owner service does not have. */
export const dropForgotten = (
  models: CommunityModels,
  { _id, user_id, type, restored }: Pick<ContributionDoc, '_id' | 'user_id' | 'type' | 'restored'>,
): Promise<void> =>
  atomically(models, session =>
    dropContribution(
      models,
      type,
      { id: _id.toHexString(), user_id: user_id.toHexString(), restored },
      session,
    ),
  )

const apply = (models: CommunityModels, event: DomainEvent, session: ClientSession): Promise<void> => {
  switch (event.type) {
    case 'user.created':
    case 'user.renamed':
    case 'user.deleted':
      return changeUser(models, event, session)
    case 'iod.created':
    case 'narrative.created':
      return addContribution(models, event, session)
    case 'narrative.deleted':
      return dropContribution(models, 'NARRATIVE', event.data, session)
  }
}

const changeUser = async (
  models: CommunityModels,
  event: UserEvent,
  session: ClientSession,
): Promise<void> => {
  const { users, contributions, counters } = models
  const _id = new Types.ObjectId(event.data.id)
  const stored = await users.findById(_id).session(session).lean<UserDoc>()
  const user = stored ?? { _id, ...UNKNOWN_USER }
  const next = nextUser(user, event)
  if (next === user) return
  const { username, revision, created_at, deleted, public: isPublic, search, grams } = next
  const totals = deleted && { total_iods: 0, total_narratives: 0 }
  if (deleted) await contributions.deleteMany({ user_id: _id }, { session })
  if (stored)
    await users.updateOne(
      { _id },
      { $set: { username, revision, created_at, deleted, public: isPublic, search, grams, ...totals } },
      { session },
    )
  else await users.create([{ ...next, _id }], { session })
  const before = searchFields(user).search
  if (isPublic === user.public && search === before) return
  await counters.updateOne(
    { _id: 'public_users' },
    { $inc: { n: Number(isPublic) - Number(user.public), changes: 1 } },
    { session, upsert: true },
  )
  await countTerms(models, before, search, session)
}

const countContribution = async (
  { users }: CommunityModels,
  userId: Types.ObjectId,
  type: ContributionType,
  by: number,
  session: ClientSession,
): Promise<void> => {
  const { total_iods: _, total_narratives: __, ...unknown } = UNKNOWN_USER
  const [counted, other] =
    type === 'IOD'
      ? (['total_iods', 'total_narratives'] as const)
      : (['total_narratives', 'total_iods'] as const)
  await users.updateOne(
    { _id: userId },
    { $inc: { [counted]: by }, $setOnInsert: { ...unknown, [other]: 0 } },
    { session, upsert: true },
  )
}

const isDeleted = async ({ users }: CommunityModels, id: string, session: ClientSession): Promise<boolean> =>
  (await users.exists({ _id: id, deleted: true }).session(session)) !== null

const addContribution = async (
  models: CommunityModels,
  event: CreationEvent,
  session: ClientSession,
): Promise<void> => {
  if (await isDeleted(models, event.data.user_id, session)) return
  const type = event.type === 'iod.created' ? 'IOD' : 'NARRATIVE'
  const user_id = new Types.ObjectId(event.data.user_id)
  const restored = ('restored' in event.data && event.data.restored) || 0
  const before = await models.contributions
    .findById(event.data.id)
    .session(session)
    .lean<Pick<ContributionDoc, 'deleted' | 'restored'>>()
  // A tombstone also counts, unless the contribution was restored since.
  if (before && restored <= (before.restored ?? 0)) return
  const contribution = {
    user_id,
    type,
    ...describeContribution(event),
    created_at: new Date(event.data.created_at),
    deleted: false,
    ...(restored > 0 && { restored }),
  } as const
  await models.contributions.updateOne(
    { _id: event.data.id },
    { $set: contribution },
    { session, upsert: true },
  )
  if (!before || before.deleted) await countContribution(models, user_id, type, 1, session)
}

const dropContribution = async (
  models: CommunityModels,
  type: ContributionType,
  { restored = 0, ...data }: { id: string; user_id: string; restored?: number | undefined },
  session: ClientSession,
): Promise<void> => {
  if (await isDeleted(models, data.user_id, session)) return
  const user_id = new Types.ObjectId(data.user_id)
  const before = await models.contributions
    .findById(data.id)
    .session(session)
    .lean<Pick<ContributionDoc, 'deleted' | 'restored'>>()
  if (before && restored < (before.restored ?? 0)) return
  await models.contributions.updateOne(
    { _id: data.id },
    {
      $set: { deleted: true, title: '', description: '', ...(restored > 0 && { restored }) },
      $setOnInsert: { user_id, type },
    },
    { session, upsert: true },
  )
  if (before && !before.deleted) await countContribution(models, user_id, type, -1, session)
}
