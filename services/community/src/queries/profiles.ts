import {
  type CommunityProfile,
  type CommunityUser,
  type communityApi,
  foldText,
  LIMITS,
  type QueryOf,
} from '@iodine/contracts'
import { cutPage, notFound, pageAfter } from '@iodine/service-kit'
import type { ContributionDoc } from '../models/contribution.js'
import type { CommunityModels } from '../models/index.js'
import { NEWEST_FIRST, type UserDoc } from '../models/user.js'
import { presentContribution, presentProfile, presentUser } from '../presenters/profile.js'
import { type CountNames, createNameSearch, type NamePage } from './search-names.js'

/** A page and the cursor of the next one, if any. */
interface Page<T> {
  answer: T
  next: string | undefined
}

const listPublicUsers = async (
  { users, counters }: CommunityModels,
  { skip, limit, cursor }: NamePage,
): Promise<{ docs: UserDoc[]; total: number }> => {
  const [docs, counter] = await Promise.all([
    users
      .find(pageAfter<UserDoc>({ public: true }, cursor))
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(limit)
      .lean<UserDoc[]>(),
    counters.findById('public_users').lean(),
  ])
  return { docs, total: counter?.n ?? 0 }
}

/** Creates the function that lists pages of public profiles, each with its newest contributions. */
export const createUserList = (models: CommunityModels, countNames: CountNames) => {
  const searchNames = createNameSearch(models, countNames)
  return async ({
    skip = 0,
    limit = LIMITS.communityPageSize,
    cursor,
    search = '',
  }: QueryOf<typeof communityApi.listUsers>): Promise<Page<{ users: CommunityUser[]; total: number }>> => {
    const page = { skip, limit: limit + 1, cursor }
    const { docs, total } = await (foldText(search) === ''
      ? listPublicUsers(models, page)
      : searchNames(search, page))
    const { shown, next } = cutPage(docs, limit)
    const recent = await Promise.all(
      shown.map(({ _id, total_iods, total_narratives }) =>
        total_iods + total_narratives === 0
          ? []
          : models.contributions
              .find({ user_id: _id, deleted: false })
              .sort(NEWEST_FIRST)
              .limit(LIMITS.recentContributions)
              .lean<ContributionDoc[]>(),
      ),
    )
    return { answer: { users: shown.map((doc, at) => presentUser(doc, recent[at] ?? [])), total }, next }
  }
}

/** Returns a public profile with a page of its contributions. Throws 404. */
export const getProfile = async (
  { users, contributions }: CommunityModels,
  id: string,
  {
    skip = 0,
    limit = LIMITS.contributionsPageSize,
    cursor,
    contribution_type,
  }: QueryOf<typeof communityApi.getUser>,
): Promise<Page<CommunityProfile>> => {
  const filter = { user_id: id, deleted: false, ...(contribution_type && { type: contribution_type }) }
  const [user, docs] = await Promise.all([
    users.findOne({ _id: id, public: true }).lean<UserDoc>(),
    contributions
      .find(pageAfter(filter, cursor))
      .sort(NEWEST_FIRST)
      .skip(skip)
      .limit(limit + 1)
      .lean<ContributionDoc[]>(),
  ])
  if (!user) throw notFound()
  const { shown, next } = cutPage(docs, limit)
  return { answer: presentProfile(user, shown.map(presentContribution)), next }
}
