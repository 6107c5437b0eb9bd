import { type Iod, isHttpUrl, LIMITS, type VoteType } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { AnchorButton, Button, CategoryTag, DateTime, Tag, truncate } from '@iodine/ui'
import { InfoSignIcon, ShareIcon, ThumbsDownIcon, ThumbsUpIcon } from '@iodine/ui/icons'
import { Popover, Tooltip } from '@iodine/ui/overlays'
import { memo, type ReactNode, useMemo, useState } from 'react'
import { findMatches } from '../model/matches'
import { ownVote } from '../model/votes'
import { ActivityPopover } from './ActivityPopover'
import styles from './IodRow.module.css'
import { Excerpt, MarkedText } from './MarkedText'
import { VotesCell } from './VotesCell'

export interface IodRowProps {
  iod: Iod
  /** The searched text; may be empty. */
  q: string
  /** Row number for `aria-rowindex`; the header row is 1. */
  rowIndex: number
  onVote: (iod: Iod, voteType: VoteType) => void
}

export const IodRow = memo(function IodRow({ iod, q, rowIndex, onVote }: IodRowProps) {
  return (
    <tr aria-rowindex={rowIndex}>
      <td>
        <ValueCell iod={iod} q={q} />
      </td>
      <td>
        <CategoryTag category={iod.category} />
      </td>
      <td>
        <Tag minimal multiline>
          {iod.source_type}
        </Tag>
        {iod.source && <Shortened text={iod.source} className={styles.source} />}
      </td>
      <td>
        <VotesCell iod={iod} />
      </td>
      <td>
        <div className={styles.creator}>{iod.created_by ?? 'Unknown'}</div>
        <div className={styles.meta}>
          <DateTime value={iod.created_at} />
        </div>
      </td>
      <td>
        <ActivityPopover iod={iod} />
      </td>
      <td>
        <div className={styles.actions}>
          <VoteButtons iod={iod} onVote={onVote} />
          <DetailsPopover iod={iod} />
        </div>
      </td>
    </tr>
  )
})

/** The value with its match, or with the part of the description that matches. */
function ValueCell({ iod: { value, description }, q }: Pick<IodRowProps, 'iod' | 'q'>) {
  const inValue = useMemo(() => findMatches(value, q), [value, q])
  const inDescription = useMemo(
    () => (inValue.length === 0 ? findMatches(description, q) : []),
    [inValue, description, q],
  )
  if (inDescription.length === 0)
    return (
      <Shortened text={value} className={styles.value}>
        <MarkedText text={value} matches={inValue} />
      </Shortened>
    )
  return (
    <>
      <Shortened text={value} className={`${styles.value} ${styles.oneLine}`} />
      <div className={styles.excerpt} dir="auto">
        <Excerpt text={description} matches={inDescription} />
      </div>
    </>
  )
}

interface ShortenedProps {
  text: string
  className: string | undefined
  /** The text as it is shown, if not plain. */
  children?: ReactNode
}

/**
 * A text truncated to its column's width, with a tooltip of its first 40 characters where it is longer or not
 * all of it is seen.
 */
function Shortened({ text, className, children = text }: ShortenedProps) {
  const [isCut, setCut] = useState(false)
  const short = truncate(text, LIMITS.tooltipChars)
  return (
    <Tooltip
      className={styles.shortened}
      content={short}
      placement="bottom-start"
      disabled={short === text && !isCut}
    >
      <span
        className={className}
        dir="auto"
        onPointerEnter={({ currentTarget: { scrollWidth, clientWidth, scrollHeight, clientHeight } }) =>
          setCut(scrollWidth > clientWidth || scrollHeight > clientHeight)
        }
      >
        {children}
      </span>
    </Tooltip>
  )
}

const VOTES = [
  { voteType: 'POSITIVE', label: 'Upvote', icon: <ThumbsUpIcon /> },
  { voteType: 'NEGATIVE', label: 'Downvote', icon: <ThumbsDownIcon /> },
] as const

function VoteButtons({ iod, onVote }: Pick<IodRowProps, 'iod' | 'onVote'>) {
  const { user } = useHost().session
  const own = ownVote(iod, user)
  const voted = own !== undefined
  return VOTES.map(({ voteType, label, icon }) => (
    <Tooltip key={voteType} content={voted ? 'You already voted' : label} placement="top">
      <Button
        variant="minimal"
        icon={icon}
        aria-label={label}
        aria-pressed={own === voteType}
        className={own === voteType ? styles[voteType] : undefined}
        disabled={voted}
        onClick={() => onVote(iod, voteType)}
      />
    </Tooltip>
  ))
}

function DetailsPopover({ iod }: { iod: Iod }) {
  const { value, description, source } = iod
  return (
    <Popover
      placement="bottom-end"
      content={
        <div className={styles.details}>
          <dl>
            <dt>Value</dt>
            <dd dir="auto">{value}</dd>
            <dt>Description</dt>
            <dd dir="auto">{description || '—'}</dd>
            <dt>Source</dt>
            <dd>{source || '—'}</dd>
          </dl>
          {source && isHttpUrl(source) && (
            <AnchorButton
              icon={<ShareIcon />}
              text="Open in new tab"
              href={source}
              target="_blank"
              rel="noopener noreferrer"
            />
          )}
        </div>
      }
    >
      <Button variant="minimal" icon={<InfoSignIcon />} aria-label="Details" title="Details" />
    </Popover>
  )
}
