import { type Iod, isHttpUrl, LIMITS, type VoteType } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { EvidenceMark, useIodEvidence, useListedCount } from '@iodine/mfe-kit/evidence'
import { AnchorButton, Button, CategoryTag, DateTime, Facts, Tag, truncate } from '@iodine/ui'
import { InfoSignIcon, ShareIcon, ThumbsDownIcon, ThumbsUpIcon } from '@iodine/ui/icons'
import { ScrollPopover, Tooltip } from '@iodine/ui/overlays'
import type { CardColumn } from '@iodine/ui/table'
import { type ReactNode, useMemo, useState } from 'react'
import { findMatches } from '../model/matches'
import { ownVote } from '../model/votes'
import { ActivityPopover } from './ActivityPopover'
import { FilterLink } from './FilterLink'
import { IodLink } from './IodLink'
import styles from './iod-columns.module.css'
import { Excerpt, MarkedText } from './MarkedText'
import { PersonLink } from './PersonLink'
import { SelectBox } from './SelectBox'
import { VotesCell } from './VotesCell'

export type OnVote = (iod: Iod, voteType: VoteType) => void

/** Heights of rows and cards, in pixels. */
export const HEIGHTS = { row: 48, card: 196 }
export const CARD_TEMPLATE =
  '"value value value" 1fr "category category creator" auto "source source source" auto "votes activity actions" auto / minmax(0, 1fr) auto auto'

/**
 * Returns the columns of the list. Their controls have a `tabIndex` of -1: each row is one Tab stop, and the arrow keys
 * reach its controls. `q` is the searched text, highlighted in the rows; may be empty.
 */
export const iodColumns = (q: string, onVote: OnVote): CardColumn<Iod>[] => [
  {
    name: 'Value',
    area: 'value',
    cell: iod => (
      <div className={styles.choosable}>
        <SelectBox iod={iod} />
        <div className={styles.text}>
          <ValueCell iod={iod} q={q} />
        </div>
        <EvidenceCell iod={iod} />
      </div>
    ),
  },
  {
    name: 'Category',
    width: 108,
    area: 'category',
    cell: ({ category }) => (
      <FilterLink filters={{ categories: [category] }} tabIndex={-1}>
        <CategoryTag category={category} />
      </FilterLink>
    ),
  },
  {
    name: 'Source',
    width: 100,
    area: 'source',
    cell: ({ source_type, source }) => (
      <div className={styles.sources}>
        <FilterLink className={styles.sourceType} filters={{ sourceTypes: [source_type] }} tabIndex={-1}>
          <Tag minimal multiline>
            {source_type}
          </Tag>
        </FilterLink>
        {source && (
          <Shortened text={source} className={styles.source}>
            <FilterLink filters={{ source }} tabIndex={-1}>
              {source}
            </FilterLink>
          </Shortened>
        )}
      </div>
    ),
  },
  { name: 'Votes', width: 132, area: 'votes', cell: iod => <VotesCell iod={iod} /> },
  {
    name: 'Created By',
    width: 100,
    area: 'creator',
    cell: ({ created_by, created_by_id, created_at }) => (
      <div className={styles.created}>
        <Shortened text={created_by ?? 'Unknown'} className={styles.creator}>
          <PersonLink id={created_by_id} name={created_by} tabIndex={-1} />
        </Shortened>
        <div className={styles.meta}>
          <DateTime value={created_at} />
        </div>
      </div>
    ),
  },
  {
    name: 'Activity',
    width: 64,
    area: 'activity',
    cell: iod => <ActivityPopover iod={iod} />,
  },
  {
    name: 'Actions',
    width: 92,
    area: 'actions',
    cell: iod => (
      <div className={styles.actions}>
        <VoteButtons iod={iod} onVote={onVote} />
        <DetailsPopover iod={iod} />
      </div>
    ),
  },
]

function EvidenceCell({ iod }: { iod: Iod }) {
  return <EvidenceMark iod={iod} count={useListedCount(iod.id)} />
}

/** The value with its match highlighted, or the matching part of the description. */
function ValueCell({ iod: { id, value, description }, q }: { iod: Iod; q: string }) {
  const inValue = useMemo(() => findMatches(value, q), [value, q])
  const inDescription = useMemo(
    () => (inValue.length === 0 ? findMatches(description, q) : []),
    [inValue, description, q],
  )
  if (inDescription.length === 0)
    return (
      <Shortened text={value} className={styles.value}>
        <IodLink id={id} tabIndex={-1}>
          <MarkedText text={value} matches={inValue} />
        </IodLink>
      </Shortened>
    )
  return (
    <>
      <Shortened text={value} className={`${styles.value} ${styles.oneLine}`}>
        <IodLink id={id} tabIndex={-1}>
          {value}
        </IodLink>
      </Shortened>
      <div className={styles.excerpt} dir="auto">
        <Excerpt text={description} matches={inDescription} />
      </div>
    </>
  )
}

interface ShortenedProps {
  text: string
  className: string | undefined
  /** Rendered content of the text; by default plain text. */
  children?: ReactNode
}

/** A text truncated to the column's width. If some of it is hidden, a tooltip contains its first 40 characters. */
function Shortened({ text, className, children = text }: ShortenedProps) {
  const [isCut, setCut] = useState(false)
  const short = truncate(text, LIMITS.tooltipChars)
  return (
    <Tooltip
      className={styles.shortened}
      content={short}
      placement="bottom-start"
      disabled={short === text && !isCut}
      openOnTargetFocus={false}
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

/** Upvote and downvote; disabled once the user has voted. */
export function VoteButtons({ iod, onVote }: { iod: Iod; onVote: OnVote }) {
  const { user } = useHost().session
  const own = ownVote(iod, user)
  const voted = own !== undefined
  return VOTES.map(({ voteType, label, icon }) => (
    <Tooltip key={voteType} content={voted ? 'You already voted' : label} placement="top">
      <Button
        variant="minimal"
        size="small"
        icon={icon}
        tabIndex={-1}
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
  const evidence = useIodEvidence(iod, useListedCount(iod.id))
  return (
    <>
      <ScrollPopover
        placement="bottom-end"
        content={
          <div className={styles.details}>
            <Facts facts={{ Value: value, Description: description || '—', Source: source || '—' }} />
            <div className={styles.links}>
              {source && isHttpUrl(source) && (
                <AnchorButton
                  icon={<ShareIcon />}
                  text="Open in new tab"
                  href={source}
                  target="_blank"
                  rel="noopener noreferrer"
                />
              )}
              {evidence.button}
            </div>
          </div>
        }
      >
        <Button
          variant="minimal"
          size="small"
          icon={<InfoSignIcon />}
          tabIndex={-1}
          aria-label="Details"
          title="Details"
        />
      </ScrollPopover>
      {evidence.drawer}
    </>
  )
}
