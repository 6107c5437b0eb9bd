import type { CommunityProfile, CommunityUser, Contribution } from '@iodine/contracts'
import type { ContributionDoc } from '../models/contribution.js'
import type { UserDoc } from '../models/user.js'

/** Returns the name and creation time, which every public user has. */
const nameAndAge = ({ username, created_at }: UserDoc) => ({
  username: username ?? '',
  created_at: (created_at ?? new Date(0)).toISOString(),
})

export const presentContribution = (doc: ContributionDoc): Contribution => ({
  type: doc.type,
  id: doc._id.toHexString(),
  title: doc.title,
  description: doc.description,
  created_at: (doc.created_at ?? new Date(0)).toISOString(),
})

export const presentUser = (doc: UserDoc, recent: ContributionDoc[]): CommunityUser => ({
  id: doc._id.toHexString(),
  ...nameAndAge(doc),
  total_contributions: doc.total_iods + doc.total_narratives,
  recent_contributions: recent.map(({ type, _id, title }) => ({ type, id: _id.toHexString(), title })),
})

export const presentProfile = (doc: UserDoc, page: Contribution[]): CommunityProfile => ({
  ...nameAndAge(doc),
  total_iods: doc.total_iods,
  total_narratives: doc.total_narratives,
  all_contributions: page,
})
