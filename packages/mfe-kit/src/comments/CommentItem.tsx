import { LIMITS, paths, type ThreadComment } from '@iodine/contracts'
import { Button, DateTime, formatDateTime, Tag } from '@iodine/ui'
import { type ReactNode, useState } from 'react'
import { SectionLink } from '../section-link'
import { useHost } from '../use-host'
import { CommentBox } from './CommentBox'
import styles from './comments.module.css'
import { partsOf } from './mentions'

export interface CommentItemProps {
  comment: ThreadComment
  /** Id of the comment that the URL names; it is marked. */
  linked: string | undefined
  onEdit: (cid: string, content: string) => Promise<boolean>
  onRemove: (cid: string) => void
  /** Absent for a reply. */
  onReply?: (() => void) | undefined
  children?: ReactNode
}

/** Attributes of the comment that the URL names. */
const LINKED = { className: styles.linked, tabIndex: -1 }

/** A comment with its actions; a deleted one as a placeholder. */
export function CommentItem({ comment, linked, onEdit, onRemove, onReply, children }: CommentItemProps) {
  const { user } = useHost().session
  const [isEditing, setEditing] = useState(false)
  const { id, content, user_id, username, created_at, edited_at, deleted, imported } = comment
  if (deleted)
    return (
      <li id={`comment-${id}`} {...(linked === id && LINKED)}>
        <p className={styles.none}>Deleted comment</p>
        {children}
      </li>
    )
  const isOwn = user_id === user.id
  const isEditable = isOwn && Date.now() - Date.parse(created_at) < LIMITS.commentEditMs
  return (
    <li id={`comment-${id}`} {...(linked === id && LINKED)}>
      <p className={styles.meta}>
        <span className={styles.author}>
          {user_id && username ? (
            <SectionLink to={paths.person(user_id)}>{username}</SectionLink>
          ) : (
            (username ?? 'Unknown')
          )}
        </span>
        {imported && (
          <Tag minimal title="From an imported file. The name is no account of this site.">
            imported
          </Tag>
        )}
        <DateTime value={created_at} format={formatDateTime} />
        {edited_at && <span title={formatDateTime(edited_at)}>edited</span>}
      </p>
      {isEditing ? (
        <CommentBox
          autoFocus
          initial={content}
          label="Edit comment"
          submitLabel="Save"
          onSubmit={async text => {
            const isDone = text === content || (await onEdit(id, text))
            if (isDone) setEditing(false)
            return isDone
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <>
          <CommentText comment={comment} />
          <p className={styles.buttons}>
            {onReply && <Button size="small" variant="minimal" text="Reply" onClick={onReply} />}
            {isEditable && (
              <Button size="small" variant="minimal" text="Edit" onClick={() => setEditing(true)} />
            )}
            {(isOwn || user.is_admin) && (
              <Button size="small" variant="minimal" text="Delete" onClick={() => onRemove(id)} />
            )}
          </p>
        </>
      )}
      {children}
    </li>
  )
}

/** The text of a comment, with links for URLs and mentioned users. */
function CommentText({ comment }: { comment: ThreadComment }) {
  return (
    <p className={styles.text} dir="auto">
      {partsOf(comment).map((part, n) => {
        if (typeof part === 'string') return part
        // The parts of a text have no other identity.
        const key = n
        return 'url' in part ? (
          <a key={key} href={part.url} target="_blank" rel="noopener nofollow noreferrer">
            {part.text}
          </a>
        ) : (
          <SectionLink key={key} to={paths.person(part.user_id)}>
            {part.text}
          </SectionLink>
        )
      })}
    </p>
  )
}
