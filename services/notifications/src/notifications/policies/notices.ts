import {
  cutText,
  DEFAULT_TLP,
  LIMITS,
  NOTIFICATION_KINDS,
  NOTIFICATION_SUBJECTS,
  type NotificationEvent,
  rankOfTlp,
  WATCH_CHANNELS,
  type WatchChannel,
} from '@iodine/contracts'
import { z } from 'zod'
import type { WatchDoc } from '../../watches/models/watch.js'

/** What a user is notified of. */
const notice = z.strictObject({
  user_id: z.string(),
  watch_id: z.string().nullable(),
  kind: z.enum(NOTIFICATION_KINDS),
  subject_kind: z.enum(NOTIFICATION_SUBJECTS),
  subject_id: z.string().nullable(),
  title: z.string(),
  comment_id: z.string().nullable(),
  votes: z.strictObject({ positive: z.int(), negative: z.int() }).nullable(),
  actor: z.string().nullable(),
  /** Level of the subject: an index into `TLP_LEVELS`. */
  tlp: z.int(),
  channels: z.array(z.enum(WATCH_CHANNELS)),
  /** Number of events. */
  count: z.int(),
})
export type Notice = z.output<typeof notice>
/** Payload of an outbox entry. Its id is the receipt of the batch. */
export const noticeBatch = z.strictObject({ id: z.string(), notices: z.array(notice) })
export type NoticeBatch = z.output<typeof noticeBatch>

const shortTitle = (title: string): string => cutText(title, LIMITS.openNarrativeTextMax)

/** What an event says about its subject. */
type About = Pick<Notice, 'kind' | 'title' | 'actor' | 'tlp'> &
  Partial<Pick<Notice, 'comment_id' | 'votes'>> & {
    subject_kind: 'iod' | 'campaign' | 'report'
    subject_id: string
  }

/** Returns the facts of an event that every notice of it contains. */
export const aboutEvent = (event: NotificationEvent): About => {
  const tlp = rankOfTlp(event.tlp ?? DEFAULT_TLP)
  switch (event.type) {
    case 'iod.created':
      return {
        kind: 'iod',
        subject_kind: 'iod',
        subject_id: event.id,
        title: shortTitle(event.value),
        actor: event.user_id,
        tlp,
      }
    case 'iod.voted': {
      const votes = { positive: event.positive, negative: event.negative }
      const title = shortTitle(event.value)
      return { kind: 'votes', subject_kind: 'iod', subject_id: event.id, title, actor: null, tlp, votes }
    }
    case 'comment.created':
      return {
        kind: 'comment',
        subject_kind: event.subject.kind,
        subject_id: event.subject.id,
        title: shortTitle(event.subject.title),
        actor: event.user_id,
        tlp,
        comment_id: event.id,
      }
    case 'report.quoted':
      return {
        kind: 'quoted',
        subject_kind: 'report',
        subject_id: event.id,
        title: shortTitle(event.title),
        actor: event.user_id,
        tlp,
      }
    case 'campaign.changed':
      return {
        kind: 'campaign',
        subject_kind: 'campaign',
        subject_id: event.id,
        title: shortTitle(event.name),
        actor: event.user_id,
        tlp,
      }
  }
}

/**
 * Returns the subject that a notice of a watch opens. Searches, and terms in records, match many things: their notices
 * name the watch, so that an import is one notification.
 */
const subjectOf = (
  { _id, kind, name, subject_id }: WatchDoc,
  about: About | undefined,
): Pick<Notice, 'subject_kind' | 'subject_id' | 'title'> => {
  const id = _id.toHexString()
  if (kind === 'search') return { subject_kind: 'search', subject_id: id, title: name }
  if (kind === 'person')
    return { subject_kind: 'person', subject_id: subject_id?.toHexString() ?? null, title: name }
  return about ?? { subject_kind: 'records', subject_id: id, title: name }
}

/** Returns the notice of an event for a watch. */
export const noticeOfWatch = (watch: WatchDoc, about: About): Notice => ({
  comment_id: null,
  votes: null,
  ...about,
  ...pickSubject(subjectOf(watch, about)),
  user_id: watch.user_id.toHexString(),
  watch_id: watch._id.toHexString(),
  channels: watch.channels as WatchChannel[],
  count: 1,
})

const pickSubject = ({
  subject_kind,
  subject_id,
  title,
}: Pick<Notice, 'subject_kind' | 'subject_id' | 'title'>) => ({
  subject_kind,
  subject_id,
  title,
})

/** Returns the notice of a reply, a mention or a quote, which no watch causes. */
export const directNotice = (
  kind: 'reply' | 'mention' | 'quoted',
  user_id: string,
  about: About,
): Notice => ({
  comment_id: null,
  votes: null,
  ...about,
  kind,
  user_id,
  watch_id: null,
  channels: [...WATCH_CHANNELS],
  count: 1,
})

/** Returns the notice of a record that matches a watch. @param actor user who shares it by username; else null */
export const recordNotice = (watch: WatchDoc, actor: string | null): Notice => ({
  kind: 'records',
  ...subjectOf(watch, undefined),
  user_id: watch.user_id.toHexString(),
  watch_id: watch._id.toHexString(),
  comment_id: null,
  votes: null,
  actor,
  tlp: rankOfTlp(DEFAULT_TLP),
  channels: watch.channels as WatchChannel[],
  count: 1,
})

/** Returns the identity of a notice: notices of one identity within an hour are one notification. */
export const foldOf = ({ user_id, watch_id, kind, subject_id }: Notice): string =>
  [user_id, watch_id ?? '', kind, subject_id ?? ''].join(' ')

/** Joins the notices of one identity: the latest one, with the number of all. */
export const joinNotices = (notices: Iterable<Notice>): Notice[] => {
  const joined = new Map<string, Notice>()
  for (const each of notices) {
    const fold = foldOf(each)
    const before = joined.get(fold)
    joined.set(fold, {
      ...each,
      count: each.count + (before?.count ?? 0),
      tlp: Math.max(each.tlp, before?.tlp ?? 0),
    })
  }
  return [...joined.values()]
}
