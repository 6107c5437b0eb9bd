import { type AuditAction, accountsInternal } from '@iodine/contracts'
import { done, notFound, serveExport } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { resetPasskeys } from '../../sign-in/commands/passkeys.js'
import { deleteAccount, findAccount, suspendAccount, unsuspendAccount } from '../commands/close-account.js'
import { confirmWarning } from '../commands/expire-accounts.js'
import type { UserDoc } from '../models/user.js'
import { personalSources } from '../queries/personal-sources.js'

/** Adds the routes for the operator's command and the workers. */
export const addAccountRoutes = (context: AuthContext): void => {
  const { models, service } = context
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

  serveExport(service, personalSources(context))
}
