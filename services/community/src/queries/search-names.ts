import { foldText } from '@iodine/contracts'
import { pageAfter } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import { countNames } from '../commands/count-names.js'
import type { CommunityModels } from '../models/index.js'
import { BY_DATE, BY_SUFFIX, type UserDoc } from '../models/user.js'

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

export interface NamePage {
  skip: number
  limit: number
  cursor: string | undefined
}

/**
 * Public users whose name contains a term literally, in any case, newest first, and their number. The cost of
 * a page is independent of the number of users: a rare term is read through the suffix index, a common one by
 * date until the page is full.
 */
export const searchNames = async (
  models: CommunityModels,
  search: string,
  { skip, limit, cursor }: NamePage,
): Promise<{ docs: UserDoc[]; total: number }> => {
  const term = foldText(search)
  const bySuffix = { suffixes: { $regex: `^${escapePattern(term)}` } }
  const [total, everybody] = await Promise.all([
    countNames(models, term, bySuffix),
    models.counters.findById('public_users').lean(),
  ])
  const inOrder = ((skip + limit) * (everybody?.n ?? 0)) / total
  const [filter, index]: [QueryFilter<UserDoc>, typeof BY_SUFFIX | typeof BY_DATE] =
    total < inOrder
      ? [bySuffix, BY_SUFFIX]
      : [{ public: true, username: { $regex: escapePattern(term), $options: 'i' } }, BY_DATE]
  const docs = await models.users
    .find(pageAfter(filter, cursor))
    .hint(index)
    .sort({ created_at: -1, _id: -1 })
    .skip(skip)
    .limit(limit)
    .lean<UserDoc[]>()
  return { docs, total }
}
