import { type NotificationKind, paths } from '@iodine/contracts'
import type { NotificationDoc } from '../../notifications/models/notification.js'

const off = 'Your webhook is switched off: it failed too often'
/** Sentences by kind, for one event and for several. */
const SENTENCES: Record<NotificationKind, [one: string, many: (n: number) => string]> = {
  iod: ['A new IOD matches a watch', n => `${n} new IODs match a watch`],
  votes: [
    'The votes on an IOD that you watch have changed',
    n => `The votes on an IOD that you watch have changed ${n} times`,
  ],
  comment: ['A new comment on what you watch', n => `${n} new comments on what you watch`],
  campaign: [
    'A campaign that you watch has changed',
    n => `A campaign that you watch has changed ${n} times`,
  ],
  records: ['A record contains what you watch', n => `${n} records contain what you watch`],
  reply: ['A reply to a comment of yours', n => `${n} replies to comments of yours`],
  mention: ['You are mentioned in a comment', n => `You are mentioned in ${n} comments`],
  quoted: [
    'A report in review quotes you: you can take your content out',
    n => `Reports in review quote you: ${n} times. You can take your content out`,
  ],
  webhook_off: [off, () => off],
}

/** Returns a notification as a sentence without content, for readers outside the app. */
export const sentenceOf = ({ kind, count }: Pick<NotificationDoc, 'kind' | 'count'>): string => {
  const [one, many] = SENTENCES[kind]
  return count === 1 ? one : many(count)
}

/** Returns the page that a notification opens. */
export const pageOf = ({ subject_kind, subject_id, comment_id }: NotificationDoc): string => {
  const id = subject_id?.toHexString() ?? ''
  const comment = comment_id ? { comment: comment_id.toHexString() } : {}
  switch (subject_kind) {
    case 'iod':
      return paths.iod(id, comment)
    case 'campaign':
      return paths.campaign(id, comment)
    case 'person':
      return paths.person(id)
    case 'report':
      return paths.quotedReports()
    default:
      return paths.profile({ tab: 'notifications' })
  }
}
