import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  adminApi,
  authApi,
  campaignsApi,
  collectorApi,
  communityApi,
  type EndpointSpec,
  graphApi,
  iodsApi,
  narrativesApi,
  profileApi,
} from '../src/index.js'

type Shape = { anyOf?: Shape[]; items?: Shape; properties?: Record<string, Shape>; required?: string[] }

/** Returns the fields of an answer by their paths, with `?` for optional ones. */
const fieldsOf = ({ response }: EndpointSpec): string[] => {
  const walk = ({ anyOf = [], items, properties = {}, required = [] }: Shape, path: string): string[] => [
    ...anyOf.flatMap(each => walk(each, path)),
    ...(items ? walk(items, path) : []),
    ...Object.entries(properties).flatMap(([name, shape]) => {
      const field = `${path}${name}${required.includes(name) ? '' : '?'}`
      return [field, ...walk(shape, `${field}.`)]
    }),
  ]
  return [...new Set(walk(z.toJSONSchema(response, { unrepresentable: 'any' }) as Shape, ''))].sort()
}
const fields = (text: string, prefix = '') => text.split(' ').map(name => prefix + name)
/** Returns fields with those of their parts. */
const withParts = (text: string, parts: Record<string, string[]>) =>
  [
    ...fields(text),
    ...Object.entries(parts).flatMap(([name, of]) => of.map(field => `${name}.${field}`)),
  ].sort()

const PROFILE = fields('created_at email has_openai_key id is_admin username')
const BETA_CODE = fields('code created_at email id used used_at')
const VOTE = fields('id user_id username vote_type created_at')
const COMMENT = fields('id content user_id username created_at')
const IOD = withParts(
  'id value category description source_type source source_id created_by created_by_id created_by_username created_at votes comments',
  { votes: VOTE, comments: COMMENT },
)
const CAMPAIGN = fields(
  'id name description created_by_id created_by_username created_at iod_count comment_count?',
)
const CAMPAIGN_DETAIL = [...CAMPAIGN, ...withParts('iods', { iods: IOD })].sort()
const NARRATIVE = withParts('id text src triplets', {
  triplets: withParts('id subject verb object narrative_data', { narrative_data: ['src'] }),
})

/** The specified answers (specification, sections 3 and 7). Additions have separate endpoints. */
const SPECIFIED: [EndpointSpec, string[]][] = [
  [authApi.requestMagicLink, ['requires_beta_code']],
  [authApi.verifyMagicLink, fields('access_token has_username')],
  [authApi.generateExtensionCode, fields('code expires_at')],
  [profileApi.getProfile, PROFILE],
  [profileApi.setupUsername, PROFILE],
  [profileApi.updateOpenaiKey, ['has_openai_key']],
  [profileApi.removeOpenaiKey, ['has_openai_key']],
  [adminApi.listBetaCodes, BETA_CODE],
  [adminApi.createBetaCode, BETA_CODE],
  [iodsApi.listIods, IOD],
  [iodsApi.createIod, IOD],
  [iodsApi.voteIod, IOD],
  [
    communityApi.listUsers,
    withParts('users total', {
      users: withParts('id username created_at total_contributions recent_contributions', {
        recent_contributions: fields('type id title'),
      }),
    }),
  ],
  [
    communityApi.getUser,
    withParts('username created_at total_iods total_narratives all_contributions', {
      all_contributions: fields('type id title description created_at'),
    }),
  ],
  [narrativesApi.listNarratives, NARRATIVE],
  [narrativesApi.createNarrative, fields('id triplets_extracted')],
  [campaignsApi.listCampaigns, CAMPAIGN],
  [campaignsApi.listMyCampaigns, CAMPAIGN],
  [campaignsApi.createCampaign, CAMPAIGN],
  [campaignsApi.updateCampaign, CAMPAIGN],
  [campaignsApi.getCampaign, CAMPAIGN_DETAIL],
  [campaignsApi.removeIod, CAMPAIGN_DETAIL],
  [
    graphApi.getTriplets,
    // `totals`: only with a limit.
    withParts('nodes links sources totals?', {
      nodes: fields('id label type count sources'),
      links: fields('source target type count sources'),
      'totals?': fields('entities verbs nodes links'),
    }),
  ],
]
it.each(SPECIFIED.map(([spec, expected]) => ({ route: `${spec.method} ${spec.path}`, spec, expected })))(
  '$route answers with only the specified fields',
  ({ spec, expected }) => expect(fieldsOf(spec)).toEqual([...expected].sort()),
)

it('records have the specified parts, the context of their page, and those of posts', () => {
  const parts = [...new Set(fieldsOf(collectorApi.listRecords).map(field => field.split('.', 1)[0]))]
  expect(parts.sort()).toEqual(
    [
      ...fields(
        'author? classification? collector_metadata context? id imageHashes? main metadata sound? stats? telegram',
      ),
      ...fields('extra? hashtags? links? location? media? mentions? metrics? post relations? within?'),
    ].sort(),
  )
})
