import { type AppPath, LIMITS, type Notification, paths, type Watch } from '@iodine/contracts'
import { formatAmount, formatCount } from '@iodine/ui'

/** Maximum number that the bell shows. */
const SHOWN_MAX = LIMITS.unreadCounted - 1

/** Returns the number of unread notifications as the bell shows it: '99+' from 100. */
export const unreadText = (unread: number): string => (unread > SHOWN_MAX ? `${SHOWN_MAX}+` : String(unread))

/** Returns the event of a notification as one line. */
export function eventText({ kind, actor, count, votes }: Notification): string {
  const name = actor?.username && count === 1 ? `@${actor.username}` : null
  switch (kind) {
    case 'iod':
      return count === 1 ? 'New IOD' : `${formatCount(count)} new IODs`
    case 'votes':
      return votes
        ? `Votes: ${formatCount(votes.positive)} positive, ${formatCount(votes.negative)} negative`
        : 'New votes'
    case 'comment':
      return name ? `${name} commented` : count === 1 ? 'New comment' : `${formatCount(count)} new comments`
    case 'campaign':
      return name
        ? `${name} changed the campaign`
        : formatAmount(count, 'change of the campaign', 'changes of the campaign')
    case 'records':
      return count === 1 ? 'New matching record' : `${formatCount(count)} new matching records`
    case 'reply':
      return name
        ? `${name} replied to you`
        : count === 1
          ? 'New reply to you'
          : `${formatCount(count)} new replies to you`
    case 'mention':
      return name
        ? `${name} mentioned you`
        : count === 1
          ? 'You were mentioned'
          : `You were mentioned ${formatCount(count)} times`
    case 'quoted':
      return `${name ?? 'An author'} quotes your content in a public report. You have 72 hours to take it out`
    case 'webhook_off':
      return 'Your webhook was switched off: too many deliveries failed'
  }
}

/** Returns the page of a watch's subject. */
export const watchPath = ({ kind, subject_id, search, text }: Watch): AppPath => {
  const id = subject_id ?? ''
  if (kind === 'iod') return paths.iod(id)
  if (kind === 'campaign') return paths.campaign(id)
  if (kind === 'person') return paths.person(id)
  return kind === 'search' ? paths.iods(search ?? {}) : paths.origins({ value: text ?? '', scope: 'shared' })
}

/**
 * Returns the page that a notification opens: its subject, with its comment.
 * @param watches the user's watches, which have the filters and texts of searches
 */
export function notificationPath(
  { subject, comment_id, watch_id }: Notification,
  watches: readonly Watch[] = [],
): AppPath {
  const id = subject.id ?? ''
  const comment = comment_id ? { comment: comment_id } : {}
  if (subject.kind === 'iod') return paths.iod(id, comment)
  if (subject.kind === 'campaign') return paths.campaign(id, comment)
  if (subject.kind === 'person') return paths.person(id)
  if (subject.kind === 'report') return paths.quotedReports()
  const watch = watches.find(each => each.id === (watch_id ?? id))
  return watch ? watchPath(watch) : paths.profile({ tab: 'notifications' })
}
