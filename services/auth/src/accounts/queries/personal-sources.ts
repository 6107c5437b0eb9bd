import { personalSource } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import type { AuthModels } from '../../models.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'
import { presentApiToken } from '../../tokens/presenters/api-token.js'
import { presentFeedKey } from '../../tokens/presenters/feed-key.js'
import type { UserDoc } from '../models/user.js'

/** Omits the identity of other users who acted on the account. */
const auditSource = (models: AuthModels) =>
  personalSource(
    'audit_entry',
    models.auditEntries,
    userId => {
      const id = userId.toHexString()
      return { $or: [{ 'entry.actor.id': id }, { 'entry.subject.id': id }] }
    },
    ({ entry: { actor, network, via, request_id, ...entry } }, userId) => ({
      ...entry,
      ...(actor.id === userId.toHexString()
        ? { actor, network, via, request_id }
        : { actor: { kind: actor.kind } }),
    }),
  )

/** Returns the sources of documents that have the user's email address as key. */
const addressSources = (models: AuthModels) => {
  const emailOf = async (id: Types.ObjectId) =>
    (await models.users.findById(id).select('email').lean<UserDoc>())?.email ?? null
  return [
    personalSource(
      'sign_in_links',
      models.links,
      async userId => ({ _id: await emailOf(userId) }),
      ({ links }) => links.map(({ expires_at }) => ({ expires_at })),
    ),
    personalSource(
      'beta_code',
      models.betaCodes,
      async userId => {
        const email = await emailOf(userId)
        return email === null ? { _id: null } : { $or: [{ email }, { used_by: email }] }
      },
      ({ _id: _, created_by: _maker, ...code }) => code,
    ),
  ]
}

/** Returns the sources of the personal data in the service's database. */
export const personalSources = ({ config, models }: AuthContext) => [
  personalSource(
    'account',
    models.users,
    _id => ({ _id }),
    // Omits the AI key, which the owner has.
    ({ sealed_ai_key, username_key: _key, ...user }) => ({
      ...user,
      has_openai_key: sealed_ai_key !== null,
      is_admin: isAdminEmail(config, user.email),
    }),
  ),
  // Omits session ids and hashes of links and codes: they are not personal data.
  personalSource(
    'session',
    models.sessions,
    user_id => ({ user_id }),
    ({ scope, browser, system, created_at, last_seen_at, expires_at }) => ({
      scope,
      browser,
      system,
      created_at,
      last_seen_at,
      expires_at,
    }),
  ),
  // Omits ids and public keys of passkeys: they are not personal data.
  personalSource(
    'passkey',
    models.passkeys,
    user_id => ({ user_id }),
    ({ name, created_at, last_used_at }) => ({ name, created_at, last_used_at }),
  ),
  personalSource(
    'extension_code',
    models.extensionCodes,
    _id => ({ _id }),
    ({ expires_at }) => ({ expires_at }),
  ),
  personalSource('api_token', models.apiTokens, user_id => ({ user_id }), presentApiToken),
  // Omits the hashes of its links. The user's exports are omitted as well: an export does not contain itself.
  personalSource(
    'address_change',
    models.addressChanges,
    _id => ({ _id }),
    ({ _id, change_id: _change, ...change }) => change,
  ),
  personalSource('feed_key', models.feedKeys, user_id => ({ user_id }), presentFeedKey),
  // Omits the address that a code is bound to: it is another person's data.
  personalSource(
    'made_beta_code',
    models.betaCodes,
    created_by => ({ created_by }),
    ({ created_at, used, used_at }) => ({ created_at, used, used_at }),
  ),
  auditSource(models),
  ...addressSources(models),
]
