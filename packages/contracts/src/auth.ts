import { z } from 'zod'
import { apiToken, newApiToken } from './api-tokens.js'
import { endpoint } from './endpoint.js'
import { feedKey } from './feeds.js'
import { LIMITS } from './limits.js'
import { accountLink, addressChange, dataExport, typedConfirmation, usedAccountLink } from './own-data.js'
import { credentialOptions, newCredential, passkey, passkeyName, usedCredential } from './passkeys.js'
import { done, email, filledText, id, pageQuery, text, time, timestamp, username } from './primitives.js'
import { usage } from './usage.js'
import { API_SCOPES, FEED_KEY_READS, FEED_TLP_LEVELS } from './vocabulary.js'

export const profile = z.strictObject({
  id,
  email: z.string(),
  username: z.string().nullable(),
  is_admin: z.boolean(),
  created_at: time,
  has_openai_key: z.boolean(),
})
export type Profile = z.output<typeof profile>

const quoting = z.strictObject({ allowed: z.boolean() })

export const betaCode = z.strictObject({
  id,
  code: z.string(),
  email: z.string().nullable(),
  used: z.boolean(),
  created_at: time,
  used_at: time.nullable(),
})
export type BetaCode = z.output<typeof betaCode>

/** Creator of a beta code; null if the code does not name one, or the account is deleted or has no username. */
export const betaCodeCreator = z.strictObject({ id, created_by_username: z.string().nullable() })

export const session = z.strictObject({
  id,
  /** `web`: a browser that signed in by a link; `extension`: a collector connected by a code. */
  kind: z.enum(['web', 'extension']),
  /** Browser and system by the user agent at sign-in; null if it named none. */
  browser: z.string().nullable(),
  system: z.string().nullable(),
  created_at: time,
  /** To within five minutes. */
  last_seen_at: time,
  /** True for the session of the request. */
  current: z.boolean(),
})
export type Session = z.output<typeof session>

const hasKey = z.strictObject({ has_openai_key: z.boolean() })

export const authApi = {
  requestMagicLink: endpoint('anyone', 'POST /auth/request-magic-link', {
    summary: 'Request a sign-in link by e-mail',
    body: z.strictObject({ email, invite_code: text(100).nullish(), is_extension: z.boolean().optional() }),
    response: z.strictObject({ requires_beta_code: z.boolean() }),
  }),
  verifyMagicLink: endpoint('anyone', 'POST /auth/verify-magic-link', {
    summary: 'Exchange the token of a link for a session',
    body: z.strictObject({ token: text(200) }),
    response: z.strictObject({ access_token: z.string(), has_username: z.boolean() }),
  }),
  readMagicLink: endpoint('anyone', 'POST /auth/read-magic-link', {
    summary: 'The user that the token of a link signs in; the link stays unused',
    body: z.strictObject({ token: text(200) }),
    response: z.strictObject({ email: z.string() }),
  }),
  readAccountLink: endpoint('anyone', 'POST /auth/read-account-link', {
    summary:
      'The effect of a mailed link on an account: a change of its email address, or its deletion. The link stays unused',
    body: z.strictObject({ token: text(200) }),
    response: accountLink,
  }),
  useAccountLink: endpoint('anyone', 'POST /auth/use-account-link', {
    summary:
      'Confirm a change of the email address, from the old or the new one, or the deletion of the account; 409 if another account has the new address meanwhile',
    body: z.strictObject({ token: text(200) }),
    response: usedAccountLink,
  }),
  passkeyOptions: endpoint('anyone', 'POST /auth/passkey-options', {
    summary: 'Request a challenge that a passkey signs, for navigator.credentials.get()',
    body: z.strictObject({}).optional(),
    response: credentialOptions,
  }),
  verifyPasskey: endpoint('anyone', 'POST /auth/verify-passkey', {
    summary: "Exchange a passkey's response to a challenge for a session",
    body: z.strictObject({ credential: usedCredential }),
    response: z.strictObject({ access_token: z.string(), has_username: z.boolean() }),
  }),
  generateExtensionCode: endpoint('user', 'POST /auth/generate-extension-code', {
    summary: 'Create a code that connects the browser extension',
    body: z.strictObject({}).optional(),
    response: z.strictObject({ code: z.string(), expires_at: time }),
  }),
  redeemExtensionCode: endpoint('anyone', 'POST /auth/redeem-extension-code', {
    summary: "Exchange an extension code for a token with the collector's scope",
    body: z.strictObject({ code: text(100) }),
    response: z.strictObject({ access_token: z.string() }),
  }),
  logout: endpoint('collector', 'POST /auth/logout', {
    summary: "End this token's session everywhere",
    body: z.strictObject({}).optional(),
    response: z.strictObject({ logged_out: z.literal(true) }),
  }),
} as const

export const profileApi = {
  getProfile: endpoint('collector', 'GET /profile/me', {
    scopes: API_SCOPES,
    summary: 'The signed-in user',
    response: profile,
  }),
  getUsage: endpoint('user', 'GET /profile/usage', {
    scopes: API_SCOPES,
    summary: 'The signed-in user’s usage and limit of each quota; null while its service is down',
    response: usage,
  }),
  setupUsername: endpoint('user', 'POST /profile/setup-username', {
    summary: 'Choose or change the public username',
    body: z.strictObject({ username }),
    response: profile,
  }),
  updateOpenaiKey: endpoint('user', 'POST /profile/update-openai-key', {
    summary: "Store the user's AI provider key, encrypted",
    body: z.strictObject({
      // Sent in an HTTP header, so one line of printable ASCII.
      api_key: z
        .string()
        .transform(value => value.trim())
        .pipe(
          z
            .string()
            .min(1, 'API key cannot be empty')
            .max(LIMITS.apiKeyMax)
            .regex(/^[\x21-\x7e]*$/, 'must be printable ASCII'),
        ),
    }),
    response: hasKey,
  }),
  removeOpenaiKey: endpoint('user', 'DELETE /profile/remove-openai-key', {
    summary: "Delete the user's AI provider key",
    response: hasKey,
  }),
  getQuoting: endpoint('user', 'GET /profile/quoting', {
    summary: 'Whether public reports may quote the descriptions of the user’s IODs; off by default',
    response: quoting,
  }),
  setQuoting: endpoint('user', 'PUT /profile/quoting', {
    summary: 'Allow that public reports quote the descriptions of the user’s IODs, or no longer',
    body: quoting,
    response: quoting,
  }),
  listFeedKeys: endpoint('user', 'GET /profile/feed-keys', {
    summary: "The user's feed keys, newest first, without their secrets",
    response: z.array(feedKey),
  }),
  createFeedKey: endpoint('user', 'POST /profile/feed-keys', {
    summary: `Create a key with which other systems pull feeds, up to a TLP level; only this response contains it. 413 with ${LIMITS.feedKeysMax} keys`,
    body: z.strictObject({
      label: filledText(LIMITS.feedKeyLabelMax),
      reads: z.enum(FEED_KEY_READS).default('campaigns'),
      tlp: z.enum(FEED_TLP_LEVELS),
      expires_at: timestamp.refine(at => Date.parse(at) > Date.now(), 'must be in the future').nullish(),
    }),
    response: feedKey.extend({ key: z.string() }),
    status: 201,
  }),
  deleteFeedKey: endpoint('user', 'DELETE /profile/feed-keys/:id', {
    summary: 'Revoke a feed key; it becomes invalid at once',
    params: z.strictObject({ id }),
    response: z.strictObject({ id }),
  }),
  listApiTokens: endpoint('user', 'GET /profile/api-tokens', {
    summary: "The user's API tokens, newest first, without their secrets; expired ones for 30 days",
    response: z.array(apiToken),
  }),
  createApiToken: endpoint('user', 'POST /profile/api-tokens', {
    summary: `Create an API token for scripts, with some scopes and for at most a year; only this response contains it. 413 with ${LIMITS.apiTokensMax} tokens`,
    body: newApiToken,
    response: apiToken.extend({ token: z.string() }),
    status: 201,
  }),
  revokeApiToken: endpoint('user', 'DELETE /profile/api-tokens/:id', {
    summary: 'Revoke an API token; it becomes invalid at once',
    params: z.strictObject({ id }),
    response: z.strictObject({ id }),
  }),
  listSessions: endpoint('user', 'GET /profile/sessions', {
    summary: "The signed-in user's live sessions, newest first",
    query: z.strictObject(pageQuery),
    response: z.array(session),
  }),
  endSession: endpoint('user', 'DELETE /profile/sessions/:id', {
    summary: "End one of the user's sessions; its token becomes invalid at once",
    params: z.strictObject({ id }),
    response: z.strictObject({ id }),
  }),
  endOtherSessions: endpoint('user', 'POST /profile/sessions/end-others', {
    summary: "End all of the user's sessions, except the requesting one",
    body: z.strictObject({}).optional(),
    response: z.strictObject({ ended: z.number().int() }),
  }),
  listPasskeys: endpoint('user', 'GET /profile/passkeys', {
    summary: "The signed-in user's passkeys, oldest first",
    response: z.array(passkey),
  }),
  newPasskeyOptions: endpoint('user', 'POST /profile/passkeys/options', {
    summary: 'Request a challenge for a new passkey, for navigator.credentials.create()',
    body: z.strictObject({}).optional(),
    response: credentialOptions,
  }),
  createPasskey: endpoint('user', 'POST /profile/passkeys', {
    summary: 'Add a passkey',
    body: z.strictObject({ name: passkeyName, credential: newCredential }),
    response: passkey,
    status: 201,
  }),
  renamePasskey: endpoint('user', 'PATCH /profile/passkeys/:id', {
    summary: 'Rename a passkey',
    params: z.strictObject({ id }),
    body: z.strictObject({ name: passkeyName }),
    response: passkey,
  }),
  deletePasskey: endpoint('user', 'DELETE /profile/passkeys/:id', {
    summary: 'Remove a passkey; it becomes invalid',
    params: z.strictObject({ id }),
    response: z.strictObject({ id }),
  }),
  getDataExport: endpoint('user', 'GET /profile/data-export', {
    summary: 'State of the latest export of the user’s data; null without one, and a day after it was ready',
    response: dataExport.nullable(),
  }),
  createDataExport: endpoint('user', 'POST /profile/data-export', {
    summary: `Export all stored data of the signed-in user to a file, in the background. 409 while another export is running; ${LIMITS.dataExportsADay} a day`,
    body: z.strictObject({}).optional(),
    response: dataExport,
    status: 202,
  }),
  downloadDataExport: endpoint('user', 'GET /profile/data-export/:id', {
    summary:
      'The exported file: one JSON object with a list per service. 404 until it is ready, and a day after that',
    params: z.strictObject({ id }),
    response: z.unknown(),
    produces: 'application/json',
  }),
  getAddressChange: endpoint('user', 'GET /profile/address-change', {
    summary: 'The pending change of the email address; null without one',
    response: addressChange.nullable(),
  }),
  requestAddressChange: endpoint('user', 'POST /profile/address-change', {
    summary:
      'Request a change of the email address: the old and the new one each receive a link, and both must be used. Replaces an earlier request. The response does not reveal whether the address is free',
    body: z.strictObject({ email }),
    response: addressChange,
    status: 202,
  }),
  withdrawAddressChange: endpoint('user', 'DELETE /profile/address-change', {
    summary: 'Cancel the change of the email address; its links become invalid',
    response: done,
  }),
  requestDeletion: endpoint('user', 'POST /profile/deletion', {
    summary: `Request a mailed link that schedules the deletion of the user’s account in ${LIMITS.deletionDelayMs / 86_400_000} days`,
    body: z.strictObject({
      confirm: typedConfirmation,
      /** Whether the user's comments are deleted with the account; else they stay without an author. */
      delete_comments: z.boolean().default(false),
    }),
    response: done,
    status: 202,
  }),
  getDeletion: endpoint('user', 'GET /profile/deletion', {
    summary: 'The time of the scheduled deletion of the user’s account; null without one',
    response: z.strictObject({ delete_at: time.nullable() }),
  }),
  withdrawDeletion: endpoint('user', 'DELETE /profile/deletion', {
    summary: 'Cancel the scheduled deletion of the account',
    response: profile,
  }),
} as const

export const adminApi = {
  listBetaCodes: endpoint('user', 'GET /admin/beta-codes', {
    summary: 'All beta codes, newest first (admins)',
    query: z.strictObject(pageQuery),
    response: z.array(betaCode),
  }),
  listBetaCodeCreators: endpoint('user', 'GET /admin/beta-codes/creators', {
    summary: 'Creators of the beta codes, in the order of their list (admins)',
    query: z.strictObject(pageQuery),
    response: z.array(betaCodeCreator),
  }),
  createBetaCode: endpoint('user', 'POST /admin/beta-codes', {
    summary: 'Create a beta code, optionally bound to an e-mail address (admins)',
    // The admin screen sends an empty string when its optional field is left blank.
    body: z.strictObject({ email: z.union([z.literal('').transform(() => null), email]).nullish() }),
    response: betaCode,
    status: 201,
  }),
} as const
