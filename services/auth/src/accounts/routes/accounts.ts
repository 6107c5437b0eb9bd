import { type AuditAction, accountsInternal } from '@iodine/contracts'
import { done, notFound, personalSource, serveExport } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'
import { resetPasskeys } from '../../sign-in/commands/passkeys.js'
import { presentApiToken } from '../../tokens/presenters/api-token.js'
import { presentFeedKey } from '../../tokens/presenters/feed-key.js'
import { deleteAccount, findAccount, suspendAccount, unsuspendAccount } from '../commands/close-account.js'
import { confirmWarning } from '../commands/expire-accounts.js'
import type { UserDoc } from '../models/user.js'

/** Adds the routes for the operator's command and the workers. */
export const addAccountRoutes = (context: AuthContext): void => {
  const { config, models, service } = context
  const idOf = ({ _id }: UserDoc) => ({ id: _id.toHexString() })

  service.internal(accountsInternal.findAccount, async ({ body }) =>
    idOf(await findAccount(context, body.email)),
  )

  /** Executes an action of the operator's command and records it. */
  const operate = async (action: AuditAction, user: UserDoc, work: (user: UserDoc) => Promise<unknown>) => {
    const { id } = idOf(user)
    await service.audit.during('operator', { action, subject: { kind: 'account', id } }, () => work(user))
    return { id }
  }

  service.internal(accountsInternal.suspendAccount, async ({ body: { email } }) =>
    operate('account.suspended', await findAccount(context, email), user => suspendAccount(context, user)),
  )

  service.internal(accountsInternal.unsuspendAccount, async ({ body: { email } }) =>
    operate('account.unsuspended', await findAccount(context, email), user =>
      unsuspendAccount(context, user),
    ),
  )

  service.internal(accountsInternal.resetPasskeys, async ({ body: { email } }) =>
    operate('account.passkeys-reset', await findAccount(context, email), () => resetPasskeys(context, email)),
  )

  service.internal(accountsInternal.deleteAccount, async ({ body }) => {
    // Includes users whose deletion was interrupted: the request resumes it.
    const user = await models.users.findOne({ email: body.email }).lean<UserDoc>()
    if (!user) throw notFound()
    return operate('account.deleted', user, () => deleteAccount(context, user))
  })

  service.internal(accountsInternal.getDeletion, async ({ params }) => {
    const deletion = await models.deletions.findById(params.id).lean()
    if (!deletion) throw notFound()
    return { erased: deletion.erased_at !== null }
  })

  service.internal(accountsInternal.confirmWarning, async ({ params, body }) =>
    done(confirmWarning(context, params.id, body)),
  )

  const emailOf = async (id: Types.ObjectId) =>
    (await models.users.findById(id).select('email').lean<UserDoc>())?.email ?? null
  serveExport(service, [
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
    // Omits the identity of other users who acted on the account.
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
    ),
    personalSource('feed_key', models.feedKeys, user_id => ({ user_id }), presentFeedKey),
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
    // Omits the address that a code is bound to: it is another person's data.
    personalSource(
      'made_beta_code',
      models.betaCodes,
      created_by => ({ created_by }),
      ({ created_at, used, used_at }) => ({ created_at, used, used_at }),
    ),
  ])
}
