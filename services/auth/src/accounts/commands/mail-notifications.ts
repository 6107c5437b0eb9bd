import { API_BASE, type BodyOf, type mailsInternal, paths } from '@iodine/contracts'
import type { AuthContext } from '../../context.js'
import { sendMail } from '../../mails/commands/send-mail.js'
import type { UserDoc } from '../models/user.js'

/** A mail that no server accepts within this time is dropped: the notifications remain in the app. */
const EXPIRES_MS = 24 * 3_600_000

/** Mails notifications to a user; nothing to an account that is suspended, deleted or scheduled for deletion. */
export const mailNotifications = async (
  context: AuthContext,
  { id, user_id, items, more, unsubscribe }: BodyOf<typeof mailsInternal.mailNotifications>,
): Promise<void> => {
  const user = await context.models.users
    .findById(user_id)
    .select('email suspended_at delete_at deleted_at')
    .lean<UserDoc>()
  if (!user?.email || user.suspended_at || user.delete_at || user.deleted_at) return
  const { PUBLIC_URL } = context.config
  await sendMail(
    context,
    id,
    {
      template: 'notifications',
      to: user.email,
      link: PUBLIC_URL + paths.profile({ tab: 'notifications' }),
      items: items.map(({ text, path }) => ({ text, link: PUBLIC_URL + path })),
      more,
      unsubscribe: `${PUBLIC_URL}${API_BASE}/notifications/unsubscribe/${unsubscribe}`,
    },
    new Date(Date.now() + EXPIRES_MS),
  )
}
