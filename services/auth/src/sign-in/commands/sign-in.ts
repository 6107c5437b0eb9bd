import type { FastifyRequest } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { openSession } from '../../sessions/commands/sessions.js'
import { isAdmin } from '../../sessions/policies/admin.js'

/** Means of sign-in to a full session. */
type SignInBy = 'link' | 'passkey'

interface SignInInput {
  userId: string
  by: SignInBy
  request: FastifyRequest
  /** Returns whether the means of sign-in is still valid. Called once the session is stored. */
  isValid?: () => Promise<boolean>
}

/**
 * Opens a session and returns its token; null for a suspended or deleted account, or if `isValid` returns false.
 * Records sign-ins of administrators in the audit log.
 */
export const signIn = async (
  context: AuthContext,
  { userId, by, request, isValid }: SignInInput,
): Promise<string | null> => {
  const open = () =>
    openSession(context, { userId, scope: 'full', by, userAgent: request.headers['user-agent'], isValid })
  if (!(await isAdmin(context, userId))) return open()
  return context.service.audit.during(
    { request, user: { id: userId } },
    { action: 'admin.signed-in', subject: { kind: 'account', id: userId }, detail: by },
    async note => {
      const token = await open()
      if (token === null) note({ isNothing: true })
      return token
    },
  )
}
