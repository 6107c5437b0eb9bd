import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { cursorParam, id, limitParam, skipParam, text, time } from './primitives.js'
import { CONTRIBUTION_TYPES } from './vocabulary.js'

const contributionType = z.enum(CONTRIBUTION_TYPES)

export const communityUser = z.strictObject({
  id,
  username: z.string(),
  created_at: time,
  total_contributions: z.int(),
  recent_contributions: z.array(z.strictObject({ type: contributionType, id, title: z.string() })),
})
export type CommunityUser = z.output<typeof communityUser>

export const contribution = z.strictObject({
  type: contributionType,
  id,
  title: z.string(),
  description: z.string(),
  created_at: time,
})
export type Contribution = z.output<typeof contribution>

export const communityProfile = z.strictObject({
  username: z.string(),
  created_at: time,
  total_iods: z.int(),
  total_narratives: z.int(),
  all_contributions: z.array(contribution),
})
export type CommunityProfile = z.output<typeof communityProfile>

/** `skip` counts from the cursor. Every page except the last has X-Next-Cursor. */
const page = {
  skip: skipParam.optional(),
  cursor: cursorParam.optional(),
  limit: limitParam(LIMITS.communityLimitMax).optional(),
}

export const communityApi = {
  listUsers: endpoint('user', 'GET /community/users', {
    scopes: ['read'],
    summary: 'Public profiles',
    query: z.strictObject({
      ...page,
      search: text(100).optional(),
    }),
    response: z.strictObject({ users: z.array(communityUser), total: z.int() }),
  }),
  getUser: endpoint('user', 'GET /community/users/:id', {
    scopes: ['read'],
    summary: 'A public profile with a page of its contributions',
    params: z.strictObject({ id }),
    query: z.strictObject({
      ...page,
      contribution_type: contributionType.optional(),
    }),
    response: communityProfile,
  }),
} as const
