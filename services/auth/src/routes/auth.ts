import { authApi } from '@iodine/contracts'
import { addressKey, hashOf } from '@iodine/service-kit'
import { Types } from 'mongoose'
import { readAccountLink, useAccountLink } from '../commands/account-links.js'
import { generateExtensionCode, redeemExtensionCode } from '../commands/extension-codes.js'
import { passkeyOptions, verifyPasskey } from '../commands/passkeys.js'
import { requestMagicLink } from '../commands/request-magic-link.js'
import { endSession } from '../commands/sessions.js'
import { readMagicLink, verifyMagicLink } from '../commands/verify-magic-link.js'
import type { AuthContext } from '../context.js'

export const addAuthRoutes = (context: AuthContext): void => {
  const { service, limits } = context

  service.route(authApi.requestMagicLink, async ({ body, request }) => {
    await limits.ip.use(addressKey(request.ip))
    await limits.email.use(hashOf(body.email))
    await limits.mails.use(hashOf(body.email))
    return requestMagicLink(context, body)
  })

  service.route(authApi.verifyMagicLink, async ({ body, request }) =>
    verifyMagicLink(context, body.token, request),
  )

  service.route(authApi.readMagicLink, async ({ body }) => readMagicLink(context, body.token))

  service.route(authApi.readAccountLink, async ({ body }) => readAccountLink(context, body.token))

  service.route(authApi.useAccountLink, async ({ body, request }) =>
    useAccountLink(context, body.token, request),
  )

  service.route(authApi.passkeyOptions, async () => passkeyOptions(context))

  service.route(authApi.verifyPasskey, async ({ body, request }) => {
    await limits.ip.use(`passkey-${addressKey(request.ip)}`)
    return verifyPasskey(context, body, request)
  })

  service.route(authApi.generateExtensionCode, async ({ user }) => generateExtensionCode(context, user.id))

  service.route(authApi.redeemExtensionCode, async ({ body, request }) => {
    // Limited, as a code is short enough to be guessed. A link's token is not.
    await limits.ip.use(`code-${addressKey(request.ip)}`)
    return redeemExtensionCode(context, body.code, request.headers['user-agent'])
  })

  service.route(authApi.logout, async ({ user }) => {
    await endSession(context, new Types.ObjectId(user.id), user.sid)
    return { logged_out: true as const }
  })
}
