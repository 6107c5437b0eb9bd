import type { ThreadComment } from '@iodine/contracts'
import type { QueryKey } from '@iodine/mfe-kit/query'
import { formatCount, LoadingPanel, LoadMore } from '@iodine/ui'
import { useState } from 'react'
import { CommentBox } from './CommentBox'
import { CommentItem } from './CommentItem'
import styles from './comments.module.css'
import { useScrollTo } from './linked-comment'
import { type Subject, useCommentActions, useComments, useUndoableRemoval } from './queries'

export interface DiscussionProps {
  subject: Subject
  /** Whether to request the comments. */
  enabled?: boolean
  /** Keys of other queries that contain the comments or their number. */
  shownIn?: readonly QueryKey[]
  /** Id of a comment to scroll to. */
  linked?: string | undefined
  /** Class of the list, such as a maximum height. */
  listClassName?: string | undefined
}

interface Thread {
  comment: ThreadComment
  replies: ThreadComment[]
}

/** Groups comments, oldest first, into threads. A hidden comment with replies counts as deleted. */
const threadsOf = (comments: readonly ThreadComment[], hidden: ReadonlySet<string>): Thread[] => {
  const threads = new Map<string, Thread>()
  for (const comment of comments)
    if (comment.reply_to === null) threads.set(comment.id, { comment, replies: [] })
  for (const comment of comments)
    if (comment.reply_to !== null && !hidden.has(comment.id))
      threads.get(comment.reply_to)?.replies.push(comment)
  return [...threads.values()].flatMap(thread => {
    if (!hidden.has(thread.comment.id)) return thread
    if (thread.replies.length === 0) return []
    return { ...thread, comment: { ...thread.comment, deleted: 'author' as const } }
  })
}

/** The comments on an IOD or campaign, with a box for a new one. */
export function Discussion(props: DiscussionProps) {
  const { subject, enabled = true, shownIn = [], linked, listClassName = '' } = props
  const query = useComments(subject, enabled)
  useScrollTo(linked, query.items, query.more)
  const { add, edit, remove } = useCommentActions(subject, shownIn)
  const [hidden, removeUndoably] = useUndoableRemoval(remove.run)
  const [replied, setReplied] = useState<string>()
  const name = `${subject.kind}:${subject.id}`
  const total = query.total === null ? undefined : Math.max(0, query.total - hidden.size)
  const actions = {
    linked,
    onEdit: (cid: string, content: string) => edit.run({ cid, content }),
    onRemove: removeUndoably,
  }

  const threadOf = ({ comment, replies }: Thread) => (
    <CommentItem key={comment.id} comment={comment} {...actions} onReply={() => setReplied(comment.id)}>
      {(replies.length > 0 || replied === comment.id) && (
        <ul className={styles.replies}>
          {replies.map(reply => (
            <CommentItem key={reply.id} comment={reply} {...actions} />
          ))}
          {replied === comment.id && (
            <li>
              <CommentBox
                autoFocus
                draft={`${name}:${comment.id}`}
                label="Reply"
                submitLabel="Reply"
                onSubmit={async (content, key) => {
                  const isDone = await add.run({ content, reply_to: comment.id, key })
                  if (isDone) setReplied(undefined)
                  return isDone
                }}
                onCancel={() => setReplied(undefined)}
              />
            </li>
          )}
        </ul>
      )}
    </CommentItem>
  )
  return (
    <section className={styles.discussion} aria-label="Comments">
      <h3>Comments{total !== undefined && ` (${formatCount(total)})`}</h3>
      <LoadingPanel query={query} errorTitle="Unable to load the comments" compact>
        {comments => {
          const threads = threadsOf(comments, hidden)
          if (threads.length === 0) return <p className={styles.none}>No comments yet</p>
          return (
            <>
              <ul className={`${styles.comments} ${listClassName}`}>{threads.map(threadOf)}</ul>
              <LoadMore query={query.more} size="small" variant="minimal" text="Show later comments" />
            </>
          )
        }}
      </LoadingPanel>
      <CommentBox
        draft={name}
        label="Add a comment"
        submitLabel="Comment"
        onSubmit={(content, key) => add.run({ content, reply_to: null, key })}
      />
    </section>
  )
}
