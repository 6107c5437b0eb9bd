import type { Comment, Iod, Vote } from '@iodine/contracts'
import { Button, DateTime, formatDateTime } from '@iodine/ui'
import { HistoryIcon } from '@iodine/ui/icons'
import { ScrollPopover } from '@iodine/ui/overlays'
import { summarizeVotes } from '../model/votes'
import styles from './ActivityPopover.module.css'
import { PersonLink } from './PersonLink'

const COMMENTS_SHOWN = 3

/** A popover of the voters, with their votes and dates, and of the latest comments. */
export function ActivityPopover({ iod }: { iod: Iod }) {
  return (
    <ScrollPopover placement="bottom-end" content={<Activity iod={iod} />}>
      <Button
        className={styles.button ?? ''}
        variant="minimal"
        size="small"
        tabIndex={-1}
        icon={<HistoryIcon />}
        text={iod.votes.length}
        aria-label={`Activity: ${iod.votes.length} ${iod.votes.length === 1 ? 'vote' : 'votes'}`}
        title="Activity"
      />
    </ScrollPopover>
  )
}

function Activity({ iod }: { iod: Iod }) {
  const { positive, negative } = summarizeVotes(iod)
  return (
    <section className={styles.activity} aria-label="Activity">
      <Voters title="Positive votes" votes={positive} />
      <Voters title="Negative votes" votes={negative} />
      <LatestComments comments={iod.comments.slice(-COMMENTS_SHOWN).reverse()} />
    </section>
  )
}

function LatestComments({ comments }: { comments: Comment[] }) {
  return (
    <section>
      <h3>Comments</h3>
      {comments.length === 0 ? (
        <p className={styles.none}>No comments yet</p>
      ) : (
        <ul>
          {comments.map(({ id, user_id, username, created_at, content }) => (
            <li key={id} className={styles.comment}>
              <span className={styles.name}>
                <PersonLink id={user_id} name={username} />
              </span>
              <DateTime value={created_at} format={formatDateTime} />
              <p className={styles.text} dir="auto">
                {content}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Voters({ title, votes }: { title: string; votes: Vote[] }) {
  return (
    <section>
      <h3>
        {title} ({votes.length})
      </h3>
      {votes.length === 0 ? (
        <p className={styles.none}>None yet</p>
      ) : (
        <ul>
          {votes.map(vote => (
            <li key={vote.id}>
              <span className={styles.name}>
                <PersonLink id={vote.user_id} name={vote.username} />
              </span>
              <DateTime value={vote.created_at} format={formatDateTime} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
