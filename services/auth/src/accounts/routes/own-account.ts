import { type AuditAction, profileApi } from '@iodine/contracts'
import { type Caller, createKeyedLimiter, done, type FastifyRequest, Streamed } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { requirePasskeySession } from '../../sessions/policies/admin.js'
import { dropAddressChange, findAddressChange, requestAddressChange } from '../commands/change-address.js'
import { beginExport, findExport, readExport } from '../commands/export-data.js'
import { requestDeletion, withdrawDeletion } from '../commands/schedule-deletion.js'
import { presentAddressChange } from '../presenters/address-change.js'
import { presentDataExport } from '../presenters/data-export.js'
import { presentProfile } from '../presenters/profile.js'
import { findUser } from '../queries/find-user.js'

/** Executes an action on the user's own account and records it. */
const recorded = <Answer>(
  { audit }: AuthContext['service'],
  call: { user: Caller; request: FastifyRequest },
  action: AuditAction,
  work: Parameters<typeof audit.during<Answer>>[2],
): Promise<Answer> => audit.during(call, { action, subject: { kind: 'account', id: call.user.id } }, work)

/** Adds the routes for the export, the address change and the deletion of the user's own account. */
export const addOwnAccountRoutes = (context: AuthContext): void => {
  const { config, models, service } = context

  service.route(profileApi.getDataExport, async ({ user }) => {
    const found = await findExport(context, user.id)
    return found && presentDataExport(found)
  })

  service.route(profileApi.createDataExport, async call =>
    presentDataExport(
      await recorded(service, call, 'account.exported', () => beginExport(context, call.user.id)),
    ),
  )

  const downloading = createKeyedLimiter()
  service.route(profileApi.downloadDataExport, async call =>
    downloading(call.user.id, async () => {
      const { user, params, reply } = call
      const { at, content } = await recorded(service, call, 'account.export-downloaded', () =>
        readExport(context, user.id, params.id),
      )
      const name = `iodine-data-${at.toISOString().slice(0, 10)}.json`
      reply.header('content-disposition', `attachment; filename="${name}"`)
      reply.header('cache-control', 'no-store')
      return new Streamed<unknown>(content)
    }),
  )

  service.route(profileApi.getAddressChange, async ({ user }) => {
    const found = await findAddressChange(context, user.id)
    return found && presentAddressChange(found)
  })

  service.route(profileApi.requestAddressChange, async call =>
    presentAddressChange(
      await recorded(service, call, 'account.address-change-requested', async () =>
        requestAddressChange(context, await findUser(models, call.user.id), call.body.email),
      ),
    ),
  )

  service.route(profileApi.withdrawAddressChange, async call =>
    done(
      recorded(service, call, 'account.address-change-withdrawn', async note => {
        const isNothing = !(await dropAddressChange(context, new Types.ObjectId(call.user.id)))
        note({ isNothing })
      }),
    ),
  )

  service.route(profileApi.requestDeletion, async call => {
    const { user, body } = call
    // Otherwise access to an administrator's mail would suffice to delete their passkeys with the account.
    await requirePasskeySession(context, user)
    return done(
      recorded(service, call, 'account.deletion-requested', async () =>
        requestDeletion(context, await findUser(models, user.id), body),
      ),
    )
  })

  service.route(profileApi.getDeletion, async ({ user }) => ({
    delete_at: (await findUser(models, user.id)).delete_at?.toISOString() ?? null,
  }))

  service.route(profileApi.withdrawDeletion, async call =>
    presentProfile(
      config,
      await recorded(service, call, 'account.deletion-withdrawn', async note => {
        const { isKept, user } = await withdrawDeletion(context, call.user.id)
        note({ isNothing: !isKept })
        return user
      }),
    ),
  )
}
