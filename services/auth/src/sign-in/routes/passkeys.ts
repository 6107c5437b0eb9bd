import { profileApi } from '@iodine/contracts'
import { findUser } from '../../accounts/queries/find-user.js'
import type { AuthContext } from '../../context.js'
import { requirePasskeySession } from '../../sessions/policies/admin.js'
import {
  createPasskey,
  deletePasskey,
  listPasskeys,
  newPasskeyOptions,
  renamePasskey,
} from '../commands/passkeys.js'
import { presentPasskey } from '../presenters/passkey.js'

/** Adds the routes for the user's passkeys. */
export const addPasskeyRoutes = (context: AuthContext): void => {
  const { models, service } = context

  service.route(profileApi.listPasskeys, async ({ user }) =>
    (await listPasskeys(context, user.id)).map(presentPasskey),
  )

  service.route(profileApi.newPasskeyOptions, async ({ user }) => {
    await requirePasskeySession(context, user)
    return newPasskeyOptions(context, await findUser(models, user.id))
  })

  service.route(profileApi.createPasskey, async call => {
    const { user, body } = call
    await requirePasskeySession(context, user)
    const what = { action: 'passkey.created', subject: { kind: 'passkey' } } as const
    return service.audit.during(call, what, async note => {
      const made = presentPasskey(await createPasskey(context, user.id, body))
      note({ id: made.id })
      return made
    })
  })

  service.route(profileApi.renamePasskey, async ({ user, params, body }) =>
    presentPasskey(await renamePasskey(context, user.id, params.id, body.name)),
  )

  service.route(profileApi.deletePasskey, async call => {
    const { user, params } = call
    await requirePasskeySession(context, user)
    await service.audit.during(
      call,
      { action: 'passkey.deleted', subject: { kind: 'passkey', id: params.id } },
      () => deletePasskey(context, user.id, params.id),
    )
    return { id: params.id }
  })
}
