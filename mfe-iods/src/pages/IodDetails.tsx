import { type Iod, VOTE_TYPES } from '@iodine/contracts'
import { paths, SectionLink, useAction } from '@iodine/mfe-kit'
import { Discussion, useLinkedComment } from '@iodine/mfe-kit/comments'
import { useConsensus } from '@iodine/mfe-kit/consensus'
import { useEvidenceCount, useIodEvidence } from '@iodine/mfe-kit/evidence'
import {
  Button,
  CategoryTag,
  DateTime,
  Facts,
  formatCount,
  formatDateTime,
  SourceLink,
  Tag,
  useElapsed,
} from '@iodine/ui'
import { ClipboardIcon, ThumbsDownIcon, ThumbsUpIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { useState } from 'react'
import { IOD_KEY } from '../queries/iod'
import { LIST_KEY } from '../queries/list'
import { useVote } from '../queries/vote'
import { FilterLink } from './FilterLink'
import styles from './IodDetails.module.css'
import { VoteButtons } from './iod-columns'
import { LongText } from './LongText'
import { Occurrences } from './Occurrences'
import { PersonLink } from './PersonLink'
import { VOTES } from './use-panel'
import { Tally } from './VotesCell'

/** Time until the panel requests related data, in milliseconds: IODs that are only passed request none. */
const SETTLED_AFTER_MS = 200
const VOTES_SHOWN = 10

/** An IOD with its votes, its comments and its occurrences. */
export function IodDetails({ iod }: { iod: Iod }) {
  const isSettled = useElapsed(SETTLED_AFTER_MS)
  const linkedComment = useLinkedComment()
  const evidence = useIodEvidence(iod, useEvidenceCount(iod.id, isSettled))
  const { value, category, source_type, source, description, created_by, created_by_id, created_at } = iod
  return (
    <>
      <div className={styles.value}>
        <LongText text={value} label="the value" />
      </div>
      <div className={styles.facts}>
        <FilterLink filters={{ categories: [category] }} alone>
          <CategoryTag category={category} />
        </FilterLink>
        <FilterLink filters={{ sourceTypes: [source_type] }} alone>
          <Tag minimal>{source_type}</Tag>
        </FilterLink>
        {evidence.button}
        {evidence.drawer}
        <SectionLink className={styles.origins} to={paths.origins({ iod: iod.id })}>
          Find first appearance
        </SectionLink>
        <CopyButton text={value} />
      </div>
      <Facts
        className={styles.fields}
        facts={{
          'Created by': <PersonLink id={created_by_id} name={created_by} />,
          Created: <DateTime value={created_at} format={formatDateTime} />,
          Source: source && <SourceLink source={source} />,
        }}
      />
      <Votes iod={iod} isSettled={isSettled} />
      <section className={styles.part} aria-label="Description">
        <h3>Description</h3>
        {description ? (
          <LongText text={description} label="the description" />
        ) : (
          <p className={styles.none}>None</p>
        )}
      </section>
      <div className={styles.part}>
        <Discussion
          subject={{ kind: 'iods', id: iod.id }}
          enabled={isSettled}
          shownIn={[IOD_KEY, LIST_KEY]}
          linked={linkedComment}
        />
      </div>
      <Occurrences iod={iod} enabled={isSettled} />
    </>
  )
}

function CopyButton({ text }: { text: string }) {
  const copy = useAction({
    mutationFn: () => navigator.clipboard.writeText(text),
    failed: 'The value could not be copied',
  })
  // The Clipboard API requires a secure context.
  if (!window.isSecureContext) return null
  return (
    <Button
      className={styles.copy}
      variant="minimal"
      size="small"
      icon={<ClipboardIcon />}
      text={copy.isSuccess ? 'Copied' : 'Copy value'}
      onClick={() => void copy.run()}
    />
  )
}

/** The number of votes, the vote buttons, and all votes with their voters, newest first. */
function Votes({ iod, isSettled }: { iod: Iod; isSettled: boolean }) {
  const vote = useVote()
  const consensus = useConsensus(iod.id, isSettled && iod.votes.length > 0)
  const [isWhole, setWhole] = useState(false)
  const [search, setSearch] = useSearchParams()
  const only = VOTE_TYPES.find(type => type === search.get(VOTES))
  const votes = iod.votes.toReversed()
  const shown = only
    ? votes.filter(each => each.vote_type === only)
    : votes.slice(0, isWhole ? undefined : VOTES_SHOWN)
  const showAll = () =>
    setSearch(
      current => {
        current.delete(VOTES)
        return current
      },
      { replace: true },
    )
  return (
    <section className={styles.part} aria-label="Votes">
      <h3>Votes ({formatCount(votes.length)})</h3>
      <div className={styles.voting}>
        <Tally iod={iod} />
        <VoteButtons iod={iod} onVote={vote} />
      </div>
      {votes.length > 0 && <p className={styles.worth}>{consensus?.reason}</p>}
      {votes.length === 0 && <p className={styles.none}>None yet</p>}
      {only && (
        <p className={styles.none}>
          Only {only.toLowerCase()} votes ({formatCount(shown.length)}).{' '}
          <Button size="small" variant="minimal" text="Show all" onClick={showAll} />
        </p>
      )}
      <ul className={styles.votes}>
        {shown.map(({ id, user_id, username, vote_type, created_at }) => (
          <li key={id}>
            {vote_type === 'POSITIVE' ? (
              <ThumbsUpIcon size={14} className={styles.positive} title="Positive" />
            ) : (
              <ThumbsDownIcon size={14} className={styles.negative} title="Negative" />
            )}
            <span className={styles.name}>
              <PersonLink id={user_id} name={username} />
            </span>
            <DateTime value={created_at} format={formatDateTime} />
          </li>
        ))}
      </ul>
      {votes.length > VOTES_SHOWN && !isWhole && !only && (
        <Button
          variant="minimal"
          size="small"
          intent="primary"
          text={`Show all ${formatCount(votes.length)} votes`}
          onClick={() => setWhole(true)}
        />
      )}
    </section>
  )
}
