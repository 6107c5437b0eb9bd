import {
  type CommunityProfile,
  type CommunityUser,
  type communityApi,
  LIMITS,
  type QueryOf,
} from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import { foldUsername } from '../commands/next-user.js'
import type { ContributionDoc } from '../models/contribution.js'
import type { CommunityModels } from '../models/index.js'
import type { UserDoc } from '../models/user.js'
import { presentContribution, presentProfile, presentUser } from '../presenters/profile.js'

const NEWEST_FIRST = { created_at: -1, _id: -1 } as const

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A page of public profiles, each with its newest contributions. */
export const listUsers = async (
  { users, contributions, counters }: CommunityModels,
  { skip = 0, limit = LIMITS.communityPageSize, search = '' }: QueryOf<typeof communityApi.listUsers>,
): Promise<{ users: CommunityUser[]; total: number }> => {
  const filter: QueryFilter<UserDoc> = {
    public: true,
    ...(search !== '' && { suffixes: { $regex: `^${escapePattern(foldUsername(search))}` } }),
  }
  const [docs, total] = await Promise.all([
    users.find(filter).sort(NEWEST_FIRST).skip(skip).limit(limit).lean<UserDoc[]>(),
    search === ''
      ? counters
          .findById('public_users')
          .lean()
          .then(counter => counter?.n ?? 0)
      : users.countDocuments(filter),
  ])
  const recent = await Promise.all(
    docs.map(({ _id, total_iods, total_narratives }) =>
      total_iods + total_narratives === 0
        ? []
        : contributions
            .find({ user_id: _id, deleted: false })
            .sort(NEWEST_FIRST)
            .limit(LIMITS.recentContributions)
            .lean<ContributionDoc[]>(),
    ),
  )
  return { users: docs.map((doc, at) => presentUser(doc, recent[at] ?? [])), total }
}

/** A public profile with a page of its contributions. Throws 404. */
export const getProfile = async (
  { users, contributions }: CommunityModels,
  id: string,
  { skip = 0, limit = LIMITS.contributionsPageSize, contribution_type }: QueryOf<typeof communityApi.getUser>,
): Promise<CommunityProfile> => {
  const [user, page] = await Promise.all([
    users.findOne({ _id: id, public: true }).lean<UserDoc>(),
    contributions
      .find({ user_id: id, deleted: false, ...(contribution_type && { type: contribution_type }) })
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(limit)
      .lean<ContributionDoc[]>(),
  ])
  if (!user) throw notFound()
  return presentProfile(user, page.map(presentContribution))
}
