import { channel } from 'node:diagnostics_channel'
import type { AddressInfo } from 'node:net'
import {
  API_BASE,
  API_SCOPES,
  type ApiScope,
  authApi,
  authInternal,
  campaignCommentsApi,
  campaignsApi,
  canonicalApi,
  capturesApi,
  collectorApi,
  coordinationApi,
  DETAILS,
  type EndpointSpec,
  evidenceApi,
  FEEDS,
  type FeedKeyReads,
  importsApi,
  iodCommentsApi,
  iodsApi,
  missingScope,
  narrativesApi,
  OPERATIONS,
  PUBLIC_PAGES,
  type PublicEndpoint,
  profileApi,
  recordImportsApi,
  SERVICE_NAMES,
  SERVICES,
  type ServiceManifest,
  SOURCES,
  type Source,
  sightingsApi,
  subscriptionsApi,
  watchesApi,
} from '@iodine/contracts'
import { hashOf, SERVICE_KEY_HEADER } from '@iodine/service-kit'
import {
  type ApiClient,
  apiClient,
  blogArticle,
  captureOf,
  iodInput,
  isLongTier,
  platformPost,
  type SignedInUser,
  samplePath,
  sealCapture,
  telegramPost,
  tiktokPost,
} from '@iodine/test-kit'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../src/index.js'

/** All operations of the public API. */
const operations = OPERATIONS.map(({ spec }) => spec)
const nameOf = ({ method, path }: Pick<EndpointSpec, 'method' | 'path'>) => `${method} ${path}`

/** `feed`: the owner’s feed key. */
type Role = 'anonymous' | 'collector' | 'feed' | 'other' | 'admin' | 'owner'

interface Entities {
  /** One record of each source. */
  record: Record<Source, string>
  iod: string
  campaign: string
  narrative: string
  /** Canonical narratives of the owner, and the owner's merge of two others. */
  canonical: string
  another: string
  decision: string
  /** The owner's evidence of their IOD. */
  evidence: string
  /** The owner's comments on their IOD and on their campaign. */
  comment: string
  remark: string
  /** The owner's sealed, unshared capture. */
  capture: string
  /** The owner's unsealed capture. */
  open: string
  /** The owner's import of a file into their records. */
  file: string
  /** The owner's import plans into their campaign: one to apply, one to discard. */
  import: string
  discarded: string
  /** The admin's subscription. */
  subscription: string
  /** A feed key and an API token of the owner. */
  feed_key: string
  api_token: string
  /** The owner's data export, ready for download. */
  data_export: string
  /** The owner's proposals of techniques for their campaign. */
  proposals: string
  /** The owner's co-shares run. */
  run: string
  /** The owner's watch. */
  watch: string
  /** The owner's session in another browser. */
  session: string
  owner: string
  admin: string
}
interface Row {
  /** The entity whose id replaces `:id` in the path, or follows the path. */
  id?: keyof Entities
  query?: (entities: Entities) => string
  body?: (entities: Entities, role: Role, source: Source) => unknown
  /** Status for another user, an admin and the owner, or a single number for all of them. */
  status: number | Record<'other' | 'admin' | 'owner', number>
}

const MARK = 'only-its-owner-sees-this'
/** The text of both captures. */
const PAGE = `Captured, and ${MARK}`
const [[HASH, BYTES] = ['', new Uint8Array()]] = captureOf({ text: PAGE }).contents
/** Query of an analysis. */
const PERIOD = '?from=2026-01-01&to=2026-01-31'
const RECORDS = {
  tiktok: tiktokPost,
  telegram: telegramPost,
  blog: blogArticle,
  post: (fields: { description?: string } = {}) => platformPost({ text: fields.description ?? '' }),
}
const fileOf = (name: string) => ({ format: 'csv', file_name: name, file_sha256: HASH, total: 1 })
let made = 0
const aBundle = () => new TextEncoder().encode(`{"type":"x-kept","id":"x-kept--${++made}"}`)
/** Returns a subscription whose pulls fail. */
const feedInto = (campaign_id: string) => ({ url: 'https://127.0.0.1/', kind: 'taxii' as const, campaign_id })
const aRun = () => ({ kinds: ['link' as const], window_s: 60, min_participation: 1 })
const ownerOnly = (success: number, refusal: number) => ({ other: refusal, admin: refusal, owner: success })
const admins = (success: number) => ({ other: 403, admin: success, owner: 403 })

/** Returns whether an operation is a read without parameters, open to any signed-in user but not to the extension. */
const isPlainRead = ({ method, path, access }: PublicEndpoint) =>
  method === 'GET' && !path.includes(':') && access === 'user'

/** The response of an unregistered authenticator. */
const CREDENTIAL = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'AAAA',
    authenticatorData: 'AAAA',
    attestationObject: 'AAAA',
    signature: 'AAAA',
  },
}

const aToken = (scopes: ApiScope[]) => ({
  name: scopes.join(', '),
  scopes,
  expires_at: new Date(Date.now() + 3_600_000).toISOString(),
})

/** Also ends the session of the owner's extension, which is reconnected for the following rows. */
const END_OTHERS = 'POST /profile/sessions/end-others'

/**
 * The expected statuses, in order of execution. All other users try each row before the owner. Reads without parameters
 * need no row.
 */
const ROWS: Record<string, Row> = {
  ...Object.fromEntries(operations.filter(isPlainRead).map(spec => [nameOf(spec), { status: 200 }])),
  'POST /auth/request-magic-link': { body: () => ({ email: `asked${++made}@example.org` }), status: 200 },
  'POST /auth/verify-magic-link': { body: () => ({ token: 'unknown' }), status: 400 },
  'POST /auth/read-magic-link': { body: () => ({ token: 'unknown' }), status: 400 },
  'POST /auth/read-account-link': { body: () => ({ token: 'unknown' }), status: 400 },
  'POST /auth/use-account-link': { body: () => ({ token: 'unknown' }), status: 400 },
  'POST /auth/passkey-options': { status: 200 },
  'POST /auth/verify-passkey': { body: () => ({ credential: CREDENTIAL }), status: 400 },
  'POST /auth/redeem-extension-code': { body: () => ({ code: 'unknown' }), status: 400 },
  'POST /auth/generate-extension-code': { status: 200 },
  'GET /profile/me': { status: 200 },
  'POST /profile/setup-username': { body: (_, role) => ({ username: `renamed_${role}` }), status: 200 },
  'POST /profile/update-openai-key': { body: () => ({ api_key: 'sk-anything' }), status: 200 },
  'POST /profile/feed-keys': { body: () => ({ label: 'OpenCTI', tlp: 'green' }), status: 201 },
  'DELETE /profile/feed-keys/:id': { id: 'feed_key', status: ownerOnly(200, 404) },
  'POST /profile/api-tokens': { body: () => aToken(['read']), status: 201 },
  'DELETE /profile/api-tokens/:id': { id: 'api_token', status: ownerOnly(200, 404) },
  'GET /admin/beta-codes': { status: admins(200) },
  'GET /admin/beta-codes/creators': { status: admins(200) },
  'POST /admin/beta-codes': { body: () => ({}), status: admins(201) },
  'GET /admin/audit': { status: admins(200) },
  'GET /admin/audit/state': { status: admins(200) },
  'GET /admin/audit/export': { status: admins(200) },
  'GET /admin/people': { status: admins(200) },
  'GET /admin/people/:id': { id: 'owner', status: admins(200) },
  'PATCH /admin/people/:id/limits': { id: 'owner', body: () => ({ iods: 1_000 }), status: admins(200) },
  'POST /admin/people/:id/unsuspend': { id: 'owner', status: admins(200) },
  'GET /admin/parts': { status: admins(200) },
  'GET /admin/queues': { status: admins(200) },
  'GET /admin/failed-work': { status: admins(200) },
  'GET /admin/backups': { status: admins(200) },
  'GET /:source/data': { status: 200 },
  'POST /:source/data': { body: (_, __, source) => ({ records: [RECORDS[source]()] }), status: 200 },
  'POST /:source/data/share': {
    body: ({ record }, _, source) => ({ ids: [record[source]], shared: true, as: 'anonymous' }),
    status: ownerOnly(200, 404),
  },
  'GET /:source/data/shared': { status: 200 },
  'POST /:source/data/known': { body: () => ({ keys: ['1'] }), status: 200 },
  'POST /records/contained': { body: () => ({ values: [MARK] }), status: 200 },
  'POST /imports': { body: () => fileOf('theirs.csv'), status: 201 },
  'GET /imports': { status: 200 },
  'GET /imports/:id': { id: 'file', status: ownerOnly(200, 404) },
  'DELETE /imports/:id': { id: 'file', status: ownerOnly(202, 404) },
  'DELETE /:source/data/:id': { id: 'record', status: ownerOnly(200, 404) },
  'GET /analytics/iods': { query: () => PERIOD, status: 200 },
  'GET /analytics/values': { query: () => PERIOD, status: 200 },
  'GET /analytics/votes': { query: () => PERIOD, status: 200 },
  'GET /analytics/records': { query: () => PERIOD, status: 200 },
  'GET /analytics/campaigns': { query: () => PERIOD, status: 200 },
  'GET /analytics/narratives': { query: () => PERIOD, status: 200 },
  'POST /iods': { body: () => iodInput(), status: 201 },
  'POST /iods/lookup': { body: () => ({ values: ['anything'] }), status: 200 },
  'GET /iods/overlay': { status: 200 },
  'GET /iods/:id': { id: 'iod', status: 200 },
  'POST /iods/:id/vote': { id: 'iod', body: () => ({ vote_type: 'POSITIVE' }), status: 200 },
  'POST /iods/levels': { body: ({ iod }) => ({ ids: [iod] }), status: 200 },
  'POST /iods/consensus': { body: ({ iod }) => ({ ids: [iod] }), status: 200 },
  'POST /iods/evidence/counts': { body: ({ iod }) => ({ ids: [iod] }), status: 200 },
  'GET /iods/:id/evidence': { id: 'iod', status: 200 },
  'POST /iods/:id/evidence': {
    id: 'iod',
    // The extension acts as the owner, who quotes another sentence.
    body: ({ narrative }, role) => quoteOf(narrative, role === 'collector' ? 1 : 2),
    status: ownerOnly(201, 404),
  },
  'POST /iods/:id/evidence/import': {
    id: 'iod',
    body: () => ({ quotes: [{ start: 0, end: 4, exact: 'They' }] }),
    status: 200,
  },
  'DELETE /iods/:id/evidence/:evidence_id': { id: 'iod', status: ownerOnly(200, 403) },
  'GET /iods/:id/comments': { id: 'iod', status: 200 },
  'POST /iods/:id/comments': { id: 'iod', body: () => ({ content: 'Seen before' }), status: 201 },
  'PATCH /iods/:id/comments/:cid': {
    id: 'iod',
    body: () => ({ content: 'Edited' }),
    status: ownerOnly(200, 403),
  },
  // The administrator's deletion comes before the owner's.
  'DELETE /iods/:id/comments/:cid': { id: 'iod', status: { other: 403, admin: 200, owner: 404 } },
  'POST /captures': { body: () => captureOf({ text: `Page ${++made}` }).manifest, status: 201 },
  'PUT /captures/:id/blobs/:sha256': { id: 'open', body: () => BYTES, status: ownerOnly(200, 404) },
  'POST /captures/:id/seal': { id: 'open', status: ownerOnly(200, 404) },
  'GET /captures/:id': { id: 'capture', status: ownerOnly(200, 404) },
  'GET /captures/:id/text': { id: 'capture', status: ownerOnly(200, 404) },
  'GET /captures/:id/blobs/:sha256': { id: 'capture', status: ownerOnly(200, 404) },
  'GET /captures/:id/wacz': { id: 'capture', status: ownerOnly(200, 404) },
  'PATCH /captures/:id': { id: 'capture', body: () => ({ shared: false }), status: ownerOnly(200, 404) },
  'DELETE /captures/:id': { id: 'capture', status: ownerOnly(200, 404) },
  'GET /seals/checkpoint': { status: 200 },
  'GET /seals/keys': { status: 200 },
  'GET /seals/consistency': { query: () => '?from=1&to=1', status: 200 },
  'GET /seals/:seq/proof': { status: 200 },
  'GET /campaigns/overlay': { status: 200 },
  'GET /campaigns/:id': { id: 'campaign', status: 200 },
  'GET /campaigns/:id/statistics': { id: 'campaign', status: 200 },
  'GET /campaigns/:id/export': { id: 'campaign', status: 200 },
  'GET /campaigns/:id/comments': { id: 'campaign', status: 200 },
  'POST /campaigns/:id/comments': { id: 'campaign', body: () => ({ content: 'Seen before' }), status: 201 },
  'PATCH /campaigns/:id/comments/:cid': {
    id: 'campaign',
    body: () => ({ content: 'Edited' }),
    status: ownerOnly(200, 403),
  },
  'DELETE /campaigns/:id/comments/:cid': { id: 'campaign', status: { other: 403, admin: 200, owner: 404 } },
  'POST /campaigns': { body: () => ({ name: 'Anybody’s' }), status: 201 },
  'POST /campaigns/:id/add-iod': { id: 'campaign', body: ({ iod }) => ({ iod_id: iod }), status: 200 },
  'POST /campaigns/:id/add-iods': { id: 'campaign', body: ({ iod }) => ({ iod_ids: [iod] }), status: 200 },
  'POST /campaigns/:id/remove-iod': { id: 'campaign', body: ({ iod }) => ({ iod_id: iod }), status: 200 },
  'GET /campaigns/:id/sharing': { id: 'campaign', status: 200 },
  'PATCH /campaigns/:id/sharing': {
    id: 'campaign',
    body: () => ({ tlp: 'amber' }),
    status: ownerOnly(200, 403),
  },
  'GET /campaigns/:id/kept': { id: 'campaign', status: 200 },
  'POST /campaigns/imports': {
    query: ({ campaign }) => `?campaign_id=${campaign}&format=stix`,
    body: aBundle,
    status: 202,
  },
  'GET /campaigns/imports/:id': { id: 'import', status: ownerOnly(200, 404) },
  'POST /campaigns/imports/:id/apply': { id: 'import', body: () => ({}), status: ownerOnly(202, 404) },
  'DELETE /campaigns/imports/:id': { id: 'discarded', status: ownerOnly(200, 404) },
  'GET /campaigns/subscriptions': { status: admins(200) },
  'POST /campaigns/subscriptions': { body: ({ campaign }) => feedInto(campaign), status: admins(201) },
  'PATCH /campaigns/subscriptions/:id': {
    id: 'subscription',
    body: () => ({ every: 30 }),
    status: admins(200),
  },
  'POST /campaigns/subscriptions/:id/run': { id: 'subscription', status: admins(202) },
  'DELETE /campaigns/subscriptions/:id': { id: 'subscription', status: admins(200) },
  'GET /campaigns/:id/techniques': { id: 'campaign', status: 200 },
  'PUT /campaigns/:id/techniques/:tid': { id: 'campaign', status: 200 },
  'DELETE /campaigns/:id/techniques/:tid': { id: 'campaign', status: 200 },
  // The technique of the row is not obsolete, and has no quotes.
  'POST /campaigns/:id/techniques/:tid/replace': {
    id: 'campaign',
    body: () => ({ with: ['T0002'] }),
    status: 409,
  },
  'GET /campaigns/:id/techniques/:tid/quotes': { id: 'campaign', status: 200 },
  'DELETE /campaigns/:id/techniques/:tid/quotes/:qid': { id: 'campaign', status: 404 },
  'POST /campaigns/:id/proposals': { id: 'campaign', body: () => ({ text: 'Rain fell.' }), status: 202 },
  // Reports are off.
  'GET /campaigns/:id/reports': { id: 'campaign', status: 200 },
  'POST /campaigns/:id/reports': { id: 'campaign', status: 409 },
  'GET /reports/reviews': { status: admins(200) },
  'GET /reports/quoted': { status: 200 },
  'GET /reports/:id': { id: 'campaign', status: 404 },
  'PATCH /reports/:id': { id: 'campaign', body: () => ({ title: 'Theirs' }), status: 409 },
  'GET /reports/:id/preview': { id: 'campaign', status: 404 },
  'GET /reports/:id/citable': { id: 'campaign', status: 404 },
  'PUT /reports/:id/decisions/:iod_id': { id: 'campaign', body: () => ({ let_in: false }), status: 404 },
  'GET /reports/:id/review': { id: 'campaign', status: 404 },
  'POST /reports/:id/review': { id: 'campaign', status: 409 },
  'POST /reports/:id/approve': { id: 'campaign', body: () => ({ sha256: 'a'.repeat(64) }), status: 409 },
  'POST /reports/:id/refuse': { id: 'campaign', body: () => ({ why: 'Vague' }), status: admins(404) },
  'POST /reports/:id/withdraw': { id: 'campaign', body: () => ({ reason: 'Wrong' }), status: 404 },
  'POST /reports/:id/erase': { id: 'campaign', body: () => ({ n: 1, law: 'Act' }), status: admins(404) },
  'POST /reports/:id/replies': {
    id: 'campaign',
    body: () => ({ from: 'A', text: 'B' }),
    status: admins(404),
  },
  'POST /reports/:id/stand': { id: 'campaign', status: admins(404) },
  'POST /reports/:id/take-out': { id: 'campaign', status: 404 },
  'DELETE /reports/:id': { id: 'campaign', status: 404 },
  'GET /campaigns/:id/proposals/:pid': { id: 'campaign', status: ownerOnly(200, 404) },
  'POST /campaigns/:id/proposals/:pid/decisions': {
    id: 'campaign',
    body: () => ({}),
    status: ownerOnly(200, 404),
  },
  'PATCH /campaigns/:id': { id: 'campaign', body: () => ({ name: 'Renamed' }), status: ownerOnly(200, 403) },
  'DELETE /campaigns/:id': { id: 'campaign', status: ownerOnly(200, 403) },
  'GET /narratives/canonical': { query: ({ owner }) => `?user_id=${owner}`, status: 200 },
  'GET /narratives/canonical/:id': {
    id: 'canonical',
    query: ({ owner }) => `?user_id=${owner}`,
    status: 200,
  },
  'GET /narratives/canonical/:id/sentences': {
    id: 'canonical',
    query: ({ owner }) => `?user_id=${owner}`,
    status: ownerOnly(200, 404),
  },
  'POST /narratives/canonical/:id/split': {
    id: 'canonical',
    body: () => ({ part: 'subject', members: ['nobody'] }),
    status: ownerOnly(422, 404),
  },
  'GET /narratives/canonical/:id/merge': {
    id: 'canonical',
    query: ({ another }) => `?with=${another}`,
    status: ownerOnly(200, 404),
  },
  'POST /narratives/canonical/:id/merge': {
    id: 'canonical',
    body: ({ another }) => ({ with: another }),
    status: ownerOnly(200, 404),
  },
  'POST /narratives/canonical/compare': { status: 200 },
  'POST /narratives/canonical/history/:id/undo': { id: 'decision', status: ownerOnly(200, 404) },
  'POST /narratives': { body: () => ({ text: 'They hide everything.' }), status: 201 },
  'GET /narratives/data/:id': { id: 'narrative', status: ownerOnly(200, 404) },
  'GET /narratives/data/:id/citations': { id: 'narrative', status: ownerOnly(200, 404) },
  'DELETE /narratives/data/:id': { id: 'narrative', status: ownerOnly(200, 404) },
  'POST /narratives/data/:id/restore': { id: 'narrative', status: ownerOnly(200, 404) },
  'GET /graph/triplets': { query: ({ owner }) => `?user_id=${owner}`, status: 200 },
  'GET /graph/texts': {
    query: ({ owner }) => `?user_id=${owner}&from=entity:they&to=verb:hide`,
    status: ownerOnly(200, 404),
  },
  'GET /graph/mentions': {
    query: ({ owner }) => `?user_id=${owner}&node=entity:they`,
    status: ownerOnly(200, 404),
  },
  'GET /community/users/:id': { id: 'owner', status: 200 },
  'DELETE /profile/remove-openai-key': { status: 200 },
  'POST /sightings/search': { body: () => ({ text: MARK }), status: 200 },
  'PUT /profile/quoting': { body: () => ({ allowed: true }), status: 200 },
  'GET /profile/quoting': { status: 200 },
  'PUT /sightings/counting': { body: () => ({ counted: true }), status: 200 },
  'POST /sightings/counts': { body: ({ iod }) => ({ iod_id: iod }), status: 200 },
  'POST /coordination/runs': { body: aRun, status: 201 },
  'GET /coordination/runs/:id': { id: 'run', status: ownerOnly(200, 404) },
  'GET /coordination/runs/:id/graph': { id: 'run', status: ownerOnly(200, 404) },
  // The owner's run has no such edge.
  'GET /coordination/runs/:id/left-out': { id: 'run', status: ownerOnly(200, 404) },
  'GET /coordination/runs/:id/shares': { id: 'run', query: () => '?a=tiktok%20a&b=tiktok%20b', status: 404 },
  'DELETE /coordination/runs/:id': { id: 'run', status: ownerOnly(200, 404) },
  'POST /watches': { body: () => ({ kind: 'term', text: `term ${++made}` }), status: 201 },
  'PATCH /watches/:id': { id: 'watch', body: () => ({ name: 'Renamed' }), status: ownerOnly(200, 404) },
  'DELETE /watches/:id': { id: 'watch', status: ownerOnly(200, 404) },
  'POST /notifications/read': { body: () => ({ until: new Date().toISOString() }), status: 200 },
  'PATCH /notifications/settings': { body: () => ({ mail: 'daily' }), status: 200 },
  'PUT /notifications/webhook': { body: () => ({ url: 'https://127.0.0.1/' }), status: 200 },
  'POST /notifications/webhook/test': { status: 202 },
  'DELETE /notifications/webhook': { status: 200 },
  // The token is of no mail.
  'POST /notifications/unsubscribe/:token': { status: 404 },
  'POST /profile/passkeys/options': { status: 200 },
  'POST /profile/passkeys': {
    body: () => ({ name: 'Key', credential: CREDENTIAL }),
    status: 400,
  },
  // Passkeys of each role are tried in services/auth/test/passkeys.test.ts.
  'PATCH /profile/passkeys/:id': { id: 'iod', body: () => ({ name: 'Key' }), status: 404 },
  'DELETE /profile/passkeys/:id': { id: 'iod', status: 404 },
  'GET /profile/data-export/:id': { id: 'data_export', status: ownerOnly(200, 404) },
  // Replaces the owner's export.
  'POST /profile/data-export': { status: 202 },
  // An administrator's e-mail address can't be changed.
  'POST /profile/address-change': {
    body: (_, role) => ({ email: `new_${role}@example.org` }),
    status: { other: 202, admin: 409, owner: 202 },
  },
  'DELETE /profile/address-change': { status: 200 },
  'GET /profile/deletion': { status: 200 },
  'POST /profile/deletion': { body: (_, role) => ({ confirm: `renamed_${role}` }), status: 202 },
  'DELETE /profile/deletion': { status: 200 },
  'DELETE /profile/sessions/:id': { id: 'session', status: ownerOnly(200, 404) },
  [END_OTHERS]: { status: 200 },
  // Not the owner, whose sessions are still needed.
  'POST /admin/people/:id/suspend': { id: 'admin', status: admins(409) },
  'POST /admin/people/:id/end-sessions': { id: 'admin', status: admins(200) },
  'POST /admin/people/:id/revoke-tokens': { id: 'admin', status: admins(200) },
  'POST /admin/failed-work/:service/:id': {
    id: 'iod',
    body: () => ({ action: 'retry' }),
    status: admins(404),
  },
  'POST /auth/logout': { status: 200 },
}

/** Operations of imports of files, which the extension does not call. */
const IMPORTS = ['POST /:source/data/known', 'POST /imports', 'GET /imports', 'GET /imports/:id']

/**
 * Operations that a token of a scope may call. Duplicates the contracts' `scopes`, so that a change is noticed. All other
 * operations reject tokens.
 */
const OPEN_TO_TOKENS: Record<ApiScope, string[]> = {
  read: [
    'GET /profile/me',
    'GET /profile/usage',
    'GET /:source/data',
    'GET /:source/data/shared',
    'POST /:source/data/known',
    'POST /records/contained',
    'GET /imports',
    'GET /imports/:id',
    'GET /captures',
    'GET /captures/:id',
    'GET /captures/:id/text',
    'GET /captures/:id/blobs/:sha256',
    'GET /captures/:id/wacz',
    'GET /iods',
    'GET /iods/facets',
    'GET /iods/overlay',
    'GET /iods/days',
    'GET /analytics/iods',
    'GET /analytics/values',
    'GET /analytics/votes',
    'GET /analytics/records',
    'GET /analytics/campaigns',
    'GET /analytics/narratives',
    'GET /iods/:id',
    'POST /iods/lookup',
    'POST /iods/consensus',
    'POST /iods/levels',
    'POST /iods/evidence/counts',
    'GET /iods/:id/evidence',
    'GET /iods/:id/comments',
    'GET /campaigns',
    'GET /campaigns/overlay',
    'GET /campaigns/my',
    'GET /campaigns/:id',
    'GET /campaigns/:id/statistics',
    'GET /campaigns/:id/export',
    'GET /campaigns/:id/sharing',
    'GET /campaigns/:id/techniques',
    'GET /campaigns/:id/techniques/:tid/quotes',
    'GET /campaigns/:id/proposals/:pid',
    'GET /campaigns/:id/reports',
    'GET /reports/quoted',
    'GET /reports/:id',
    'GET /reports/:id/preview',
    'GET /reports/:id/citable',
    'GET /campaigns/disarm',
    'GET /campaigns/techniques',
    'GET /campaigns/:id/comments',
    'GET /campaigns/:id/kept',
    'GET /campaigns/imports/:id',
    'GET /narratives/data',
    'GET /narratives/data/:id',
    'GET /narratives/data/:id/citations',
    'GET /narratives/open',
    'GET /narratives/canonical',
    'GET /narratives/canonical/state',
    'GET /narratives/canonical/history',
    'GET /narratives/canonical/:id',
    'GET /narratives/canonical/:id/sentences',
    'GET /narratives/canonical/:id/merge',
    'GET /graph/triplets',
    'GET /graph/texts',
    'GET /graph/mentions',
    'GET /community/users',
    'GET /community/users/:id',
    'POST /sightings/search',
    'GET /sightings/counting',
    'POST /sightings/counts',
    'GET /coordination/runs',
    'GET /coordination/runs/:id',
    'GET /coordination/runs/:id/graph',
    'GET /coordination/runs/:id/left-out',
    'GET /coordination/runs/:id/shares',
    'GET /watches',
    'GET /notifications',
    'GET /notifications/unread',
  ],
  // The operations of the extension, except ending its session, and imports of files.
  collect: [
    'GET /profile/me',
    'GET /profile/usage',
    'POST /:source/data',
    ...IMPORTS,
    'POST /captures',
    'PUT /captures/:id/blobs/:sha256',
    'POST /captures/:id/seal',
    'GET /iods/overlay',
    'POST /iods',
    'POST /iods/lookup',
    'POST /iods/:id/evidence',
    'GET /campaigns/overlay',
  ],
  contribute: [
    'GET /profile/me',
    'GET /profile/usage',
    'POST /:source/data/share',
    'PATCH /captures/:id',
    'POST /iods',
    'POST /iods/:id/vote',
    'POST /iods/:id/evidence',
    'POST /iods/:id/evidence/import',
    'POST /iods/:id/comments',
    'PATCH /iods/:id/comments/:cid',
    'POST /campaigns',
    'PATCH /campaigns/:id',
    'PATCH /campaigns/:id/sharing',
    'POST /campaigns/:id/add-iod',
    'POST /campaigns/:id/add-iods',
    'POST /campaigns/:id/remove-iod',
    'PUT /campaigns/:id/techniques/:tid',
    'DELETE /campaigns/:id/techniques/:tid',
    'POST /campaigns/:id/techniques/:tid/replace',
    'POST /campaigns/:id/proposals',
    'POST /campaigns/:id/proposals/:pid/decisions',
    'POST /campaigns/:id/reports',
    'PATCH /reports/:id',
    'POST /campaigns/:id/comments',
    'PATCH /campaigns/:id/comments/:cid',
    'POST /campaigns/imports',
    'GET /campaigns/imports/:id',
    'POST /campaigns/imports/:id/apply',
    'POST /narratives',
    'POST /narratives/canonical/compare',
    'POST /narratives/canonical/:id/merge',
    'POST /narratives/canonical/:id/split',
    'POST /narratives/canonical/history/:id/undo',
    'POST /coordination/runs',
    'GET /coordination/runs/:id',
    'POST /watches',
    'PATCH /watches/:id',
    'POST /notifications/read',
  ],
}
/** All scopes together; under `npm run test:all` also each scope. */
const SCOPE_SETS: ApiScope[][] = [...(isLongTier ? API_SCOPES.map(scope => [scope]) : []), [...API_SCOPES]]

const SENTENCE = 'They told everybody. '
/** Returns a quote of the first word of a sentence of the owner's narrative, which is in the value of their IOD. */
const quoteOf = (narrative_id: string, n: number) => {
  const start = n * SENTENCE.length
  return { narrative_id, start, end: start + 4, exact: 'They' }
}

type Operation = (typeof OPERATIONS)[number]

let app: TestApp
/** All started servers, with their registered routes. */
const servers: { app: FastifyInstance; routes: { method: string; url: string }[] }[] = []
beforeAll(async () => {
  const note = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    const routes: (typeof servers)[number]['routes'] = []
    servers.push({ app, routes })
    app.addHook('onRoute', ({ method, url }) => {
      for (const each of [method].flat()) if (each !== 'HEAD') routes.push({ method: each, url })
    })
  }
  const created = channel('fastify.initialization')
  created.subscribe(note)
  app = await startTestApp({ env: { ADMIN_EMAILS: 'boss@example.org' } })
  created.unsubscribe(note)
})
afterAll(() => app?.stop())

const prepare = async (
  { api, id: owner, email }: SignedInUser,
  { api: adminsApi, id: admin }: SignedInUser,
): Promise<Entities> => {
  await api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-anything' } })
  const record = {} as Entities['record']
  for (const source of SOURCES) {
    const records = [RECORDS[source]({ description: MARK })]
    const { results } = await api.call(collectorApi.ingestRecords, { params: { source }, body: { records } })
    record[source] = (results as { id: string }[])[0]?.id ?? ''
  }
  const iod = await api.call(iodsApi.createIod, { body: iodInput() })
  const campaign = await api.call(campaignsApi.createCampaign, { body: { name: 'Theirs' } })
  // Longer than the excerpt on a public profile.
  const text = `${SENTENCE.repeat(15)}${MARK}`
  const narrative = await api.call(narrativesApi.createNarrative, { body: { text } })
  const canonical = await api.call(canonicalApi.listCanonical)
  const idOf = (subject: string) => canonical.find(each => each.subject.label === subject)?.id ?? ''
  const { decision } = await api.call(canonicalApi.mergeCanonical, {
    params: { id: idOf('gulls') },
    body: { with: idOf('tides') },
  })
  const evidence = await api.call(evidenceApi.addEvidence, {
    params: { id: iod.id },
    body: quoteOf(narrative.id, 0),
  })
  const body = { content: 'Seen before' }
  const comment = await api.call(iodCommentsApi.createComment, { params: { id: iod.id }, body })
  const remark = await api.call(campaignCommentsApi.createComment, { params: { id: campaign.id }, body })
  await app.signUp(email, null)
  const sessions = await api.call(profileApi.listSessions)
  const { id: capture } = await sealCapture(api.call, { text: PAGE })
  const { id: open } = await api.call(capturesApi.createCapture, {
    body: captureOf({ text: PAGE, manifest: { url: 'https://blog.example.org/open' } }).manifest,
  })
  const planned = async () => {
    const { id } = await api.call(importsApi.createImport, {
      query: { campaign_id: campaign.id, format: 'stix' },
      body: aBundle(),
    })
    const look = () => api.call(importsApi.getImport, { params: { id } })
    await expect.poll(look).toMatchObject({ state: 'planned' })
    return id
  }
  const pulled = async () => {
    const { id } = await adminsApi.call(subscriptionsApi.createSubscription, { body: feedInto(campaign.id) })
    const look = () => adminsApi.call(subscriptionsApi.listSubscriptions)
    await expect.poll(look).toMatchObject([{ state: 'waiting', last: {} }])
    return id
  }
  const gathered = async () => {
    const { id } = await api.call(profileApi.createDataExport)
    await expect.poll(() => api.call(profileApi.getDataExport)).toMatchObject({ state: 'ready' })
    return id
  }
  const proposed = async () => {
    const params = { id: campaign.id }
    const { id } = await api.call(campaignsApi.propose, { params, body: { narrative_id: narrative.id } })
    const look = () => api.call(campaignsApi.getProposals, { params: { ...params, pid: id } })
    await expect.poll(look).toMatchObject({ state: 'done' })
    return id
  }
  const [first, second, subscription, data_export, proposals] = await Promise.all([
    planned(),
    planned(),
    pulled(),
    gathered(),
    proposed(),
  ])
  const key = await api.call(profileApi.createFeedKey, { body: { label: 'Mine', tlp: 'green' } })
  const token = await api.call(profileApi.createApiToken, { body: aToken(['read']) })
  return {
    feed_key: key.id,
    api_token: token.id,
    data_export,
    subscription,
    session: sessions.find(({ current }) => !current)?.id ?? '',
    file: (await api.call(recordImportsApi.createRecordImport, { body: fileOf(`${MARK}.csv`) })).id,
    import: first,
    discarded: second,
    run: (await api.call(coordinationApi.createRun, { body: { ...aRun(), scope: 'own' } })).id,
    watch: (await api.call(watchesApi.createWatch, { body: { kind: 'term', text: MARK } })).id,
    capture,
    open,
    record,
    iod: iod.id,
    campaign: campaign.id,
    narrative: narrative.id,
    canonical: idOf('they'),
    another: idOf('nobody'),
    decision,
    evidence: evidence.id,
    comment: comment.id,
    remark: remark.id,
    proposals,
    owner,
    admin,
  }
}

it('enforces the table for each role on every route', async () => {
  expect(Object.keys(ROWS).sort()).toEqual(operations.map(nameOf).sort())

  app.ai.always({
    triplets: [
      { subject: 'they', verb: 'told', object: 'everybody' },
      { subject: 'nobody', verb: 'asks', object: 'why' },
      { subject: 'gulls', verb: 'count', object: 'waves' },
      { subject: 'tides', verb: 'follow', object: 'moons' },
    ],
  })
  const [owner, other, admin] = [
    await app.signUp(),
    await app.signUp(),
    await app.signUp('boss@example.org'),
  ] as const
  const entities = await prepare(owner, admin)
  /** Tokens of the owner and of another user, and the gateway's token for the owner's token. */
  const scripts = await Promise.all(
    SCOPE_SETS.map(async scopes => {
      const of = async ({ api }: SignedInUser) =>
        (await api.call(profileApi.createApiToken, { body: aToken(scopes) })).token
      const stranger = await app.signUp()
      await stranger.api.call(profileApi.updateOpenaiKey, { body: { api_key: 'sk-anything' } })
      await stranger.api.call(sightingsApi.setCounting, { body: { counted: true } })
      const [own, others] = [await of(owner), await of(stranger)]
      const { token } = await app.peers.call('auth', authInternal.checkApiToken, {
        body: { hash: hashOf(own) },
      })
      return { scopes, own: apiClient(app.url, own), others: apiClient(app.url, others), token }
    }),
  )
  const connectExtension = async () => {
    const { code } = await owner.api.call(authApi.generateExtensionCode)
    const { access_token } = await app.api.call(authApi.redeemExtensionCode, { body: { code } })
    return apiClient(app.url, access_token)
  }
  const { key } = await owner.api.call(profileApi.createFeedKey, { body: { label: 'Theirs', tlp: 'amber' } })
  const clients: Record<Role, ApiClient> = {
    anonymous: app.api,
    collector: await connectExtension(),
    feed: apiClient(app.url, key),
    other: other.api,
    admin: admin.api,
    owner: owner.api,
  }

  for (const [name, { id, query, body, status }] of Object.entries(ROWS)) {
    const { service, spec: operation } = OPERATIONS.find(({ spec }) => nameOf(spec) === name) as Operation
    const own = typeof status === 'number' ? { other: status, admin: status, owner: status } : status
    const expected: Record<Role, number> = {
      anonymous: operation.access === 'anyone' ? own.owner : 401,
      collector: operation.access === 'user' ? 403 : own.owner,
      feed: operation.access === 'anyone' ? own.owner : 401,
      ...own,
    }
    for (const source of operation.path.includes(':source') ? SOURCES : (['tiktok'] as const)) {
      const one = id === 'record' ? entities.record[source] : id ? entities[id] : ''
      const path = operation.path
        .replace(':source', source)
        .replace(':evidence_id', entities.evidence)
        .replace(':cid', id === 'iod' ? entities.comment : entities.remark)
        .replace(':sha256', HASH)
        .replace(':tid', 'T0023.001')
        .replace(':qid', entities.evidence)
        .replace(':pid', entities.proposals)
        .replace(':seq', '0')
        .replace(':id', one)
      const send = (client: ApiClient, role: Role) => {
        const input = operation.method === 'GET' ? undefined : (body?.(entities, role, source) ?? {})
        return client.send(
          operation.method,
          `${path}${query?.(entities) ?? ''}`,
          operation.method === 'DELETE' ? undefined : input,
        )
      }
      // For operations without scopes, the token with all scopes suffices. The scopes are compared below.
      const tried = operation.scopes ? scripts : scripts.slice(-1)
      for (const { scopes, own: owners, others, token } of tried) {
        const isOpen = scopes.some(scope => OPEN_TO_TOKENS[scope].includes(name))
        const seen = [path, scopes]
        if (operation.access === 'anyone') {
          expect([...seen, (await send(owners, 'owner')).status]).toEqual([...seen, own.owner])
        } else if (isOpen) {
          // Reads use the owner's token, writes that of another user, so that the following rows still apply.
          const [client, expected] = operation.method === 'GET' ? [owners, own.owner] : [others, own.other]
          const answer = await send(client, 'other')
          expect([...seen, answer.status]).toEqual([...seen, expected])
          if (expected === 403) expect(answer.body).toEqual({ detail: DETAILS.forbidden })
          if (client === others) expect(JSON.stringify(answer.body)).not.toContain(MARK)
        } else {
          // The service also rejects requests that a gateway would forward.
          for (const client of [owners, apiClient(app.parts[service].url, token)]) {
            const detail = operation.scopes ? missingScope(operation.scopes) : DETAILS.apiTokenRefused
            const { status, body } = await send(client, 'owner')
            expect([...seen, status, body]).toEqual([...seen, 403, { detail }])
          }
        }
      }
      const attempt = async (role: Role) => {
        const answer = await send(clients[role], role)
        expect([path, role, answer.status]).toEqual([path, role, expected[role]])
        if (answer.status === 401) expect(answer.body).toEqual({ detail: DETAILS.unauthenticated })
        if (answer.status === 403)
          expect(answer.body).toEqual({
            detail: role === 'collector' ? DETAILS.collectorScope : DETAILS.forbidden,
          })
        if (role !== 'owner') expect(JSON.stringify(answer.body)).not.toContain(MARK)
      }
      const roles = Object.keys(clients) as Role[]
      const isRefused = (role: Role) => expected[role] === 401 || expected[role] === 403
      await Promise.all(roles.filter(isRefused).map(attempt))
      for (const role of roles.filter(each => !isRefused(each))) await attempt(role)
    }
    if (name === END_OTHERS) clients.collector = await connectExtension()
  }
}, 600_000)

it('has the scopes of its table, none by default, and `collect` for the operations of the extension', () => {
  for (const scope of API_SCOPES) {
    const open = operations.filter(({ scopes }) => scopes?.includes(scope)).map(nameOf)
    expect([scope, open.sort()]).toEqual([scope, [...OPEN_TO_TOKENS[scope]].sort()])
  }
  const extensions = operations.filter(({ access }) => access === 'collector').map(nameOf)
  expect([...extensions, 'GET /profile/usage', ...IMPORTS].sort()).toEqual(
    [...OPEN_TO_TOKENS.collect, 'POST /auth/logout'].sort(),
  )
  // Operations on accounts, and permanent changes, require a session.
  for (const { method, path, scopes, access } of operations) {
    if (/^\/(auth|admin|profile)\b/.test(path) && !/^\/profile\/(me|usage)$/.test(path))
      expect([path, scopes]).toEqual([path, undefined])
    if (access === 'anyone') expect([path, scopes]).toEqual([path, undefined])
    if (method === 'DELETE' && scopes) expect(path).toBe('/campaigns/:id/techniques/:tid')
  }
})

it('permits reading feeds only with feed keys', async () => {
  const { api, token } = await app.signUp()
  const { code } = await api.call(authApi.generateExtensionCode)
  const { access_token } = await app.api.call(authApi.redeemExtensionCode, { body: { code } })
  const keyOf = async (reads: FeedKeyReads) =>
    (await api.call(profileApi.createFeedKey, { body: { label: 'Theirs', tlp: 'green', reads } })).key
  const keys = { campaigns: await keyOf('campaigns'), notifications: await keyOf('notifications') }
  const { token: script } = await api.call(profileApi.createApiToken, { body: aToken([...API_SCOPES]) })
  for (const { service, spec } of FEEDS) {
    const [key, other] =
      spec.form === 'atom' ? [keys.notifications, keys.campaigns] : [keys.campaigns, keys.notifications]
    const path = samplePath(spec.path).replace('/a'.padEnd(25, 'a'), '/all')
    const status = async (credential?: string) => {
      const headers = new Headers(credential ? { authorization: `Bearer ${credential}` } : {})
      return (await fetch(app.url + path, { headers })).status
    }
    for (const credential of [undefined, token, access_token, script, `${key}x`])
      expect([path, await status(credential)]).toEqual([path, 401])
    expect([200, 404]).toContain(await status(key))
    expect([path, await status(other)]).toEqual([path, 403])
    // A service accepts no feed key, only the gateway's token for it.
    const behind = await fetch(app.parts[service].url + path, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect([path, behind.status]).toEqual([path, 401])
  }
})

const routesOf = (url: string) =>
  servers.find(({ app }) => String((app.server.address() as AddressInfo | null)?.port) === new URL(url).port)
    ?.routes ?? expect.unreachable()

it('has a row for each registered route and each operation of the served OpenAPI document', async () => {
  const { gateway, ...behind } = app.parts
  const served = Object.values(behind)
    .flatMap(({ url }) => routesOf(url))
    .filter(({ url }) => url.startsWith(API_BASE))
    .map(({ method, url }) => `${method} ${url.slice(API_BASE.length)}`)
  expect(served.sort()).toEqual(Object.keys(ROWS).sort())
  const document = await (await fetch(`${app.url}${API_BASE}/openapi.json`)).json()
  const paths = Object.entries(document.paths as Record<string, object>)
  // Feeds are outside of the API's base path.
  const feeds = paths.filter(([, path]) => 'servers' in path)
  expect(feeds.map(([path]) => path.replace(/\{(\w+)\}/g, ':$1').replace(/\/$/, '')).sort()).toEqual(
    FEEDS.map(({ spec }) => spec.path).sort(),
  )
  const described = paths
    .filter(([, path]) => !('servers' in path))
    .flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    )
  expect(described.sort()).toEqual(Object.keys(ROWS).sort())
  // Besides forwarded routes, the gateway serves no user data.
  const own = routesOf(gateway.url).map(({ url }) => url)
  expect(own.filter(url => /internal|metrics/.test(url))).toEqual([])
})

it('each service serves exactly the operations of its manifest', () => {
  for (const name of SERVICE_NAMES) {
    const { apis, internal, feeds = {} } = SERVICES[name] as ServiceManifest
    const manifest = [
      ...Object.values<Record<string, EndpointSpec>>(apis).flatMap(table =>
        Object.values(table).map(({ method, path }) => `${method} ${API_BASE}${path}`),
      ),
      ...Object.values<EndpointSpec>(internal).map(nameOf),
      ...Object.values(feeds).flatMap(table => Object.values(table).map(nameOf)),
    ]
    const served = routesOf(app.parts[name].url)
      .filter(({ url }) => /^\/(api|internal|taxii2|feeds|atom)\b/.test(url) && url !== '/internal/jwks')
      .map(({ method, url }) => `${method} ${url}`)
    expect([name, served.sort()]).toEqual([name, manifest.sort()])
  }
})

it('internal operations are reachable neither through the gateway nor without the service key', async () => {
  const { gateway: _, ...behind } = app.parts
  const { token } = await app.signUp('boss@example.org')
  const internal = Object.values(behind).flatMap(({ url, env }) =>
    routesOf(url)
      .filter(
        route =>
          !route.url.startsWith(API_BASE) &&
          [...FEEDS, ...PUBLIC_PAGES].every(({ spec }) => spec.path !== route.url),
      )
      .map(route => ({ ...route, base: url, key: env.SERVICE_KEY ?? '' })),
  )
  expect(internal.filter(({ url }) => url.startsWith('/internal/')).length).toBeGreaterThan(20)
  const check = async ({ method, url, base, key }: (typeof internal)[number]) => {
    const path = samplePath(url)
    const ask = (address: string, headers: Record<string, string>) => fetch(address, { method, headers })
    const insider = { authorization: `Bearer ${token}`, [SERVICE_KEY_HEADER]: key }
    // The gateway has its own health endpoints.
    const paths = path.endsWith('z')
      ? []
      : [path, `/api/v1/..%2f..${path}`, `/api/v1/auth/%2e%2e/%2e%2e/%2e%2e${path}`]
    for (const each of [
      ...paths,
      `${API_BASE}${path}`,
      `${API_BASE}/auth${path}`,
      `${API_BASE}/iods${path}`,
    ]) {
      const answer = await ask(app.url + each, insider)
      expect([each, answer.status, await answer.json()]).toEqual([each, 404, { detail: DETAILS.notFound }])
    }
    // Public keys, health and metrics are open to the internal network.
    if (!url.startsWith('/internal/') || url === '/internal/jwks') return
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { ...insider, [SERVICE_KEY_HEADER]: `${key}x` },
    ])
      expect([url, (await ask(base + path, headers)).status]).toEqual([url, 404])
  }
  await Promise.all(internal.map(check))
})
