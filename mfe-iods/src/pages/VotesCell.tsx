import type { Iod } from '@iodine/contracts'
import { ConsensusMark, useListedConsensus } from '@iodine/mfe-kit/consensus'
import { summarizeVotes } from '../model/votes'
import styles from './VotesCell.module.css'

const AVATARS_MAX = 3

/** Vote counts, the share of positive votes as a bar, the voters, and what the votes are worth if that is less. */
export function VotesCell({ iod }: { iod: Iod }) {
  return (
    <>
      <div className={styles.votes}>
        <Tally iod={iod} />
        <Avatars iod={iod} />
      </div>
      <ConsensusMark votes={iod.votes.length} consensus={useListedConsensus(iod.id)} />
    </>
  )
}

/** Vote counts, and the share of positive votes as a bar. */
export function Tally({ iod }: { iod: Iod }) {
  const { positive, negative, positiveShare } = summarizeVotes(iod)
  return (
    <div className={styles.tally}>
      <div
        className={styles.counts}
        role="img"
        aria-label={`${positive.length} positive, ${negative.length} negative`}
      >
        <span className={styles.positive}>+{positive.length}</span>
        <span className={styles.negative}>−{negative.length}</span>
      </div>
      <div className={styles.bar}>
        {positiveShare !== null && (
          <>
            <span className={styles.positiveBar} style={{ width: `${positiveShare * 100}%` }} />
            <span className={styles.negativeBar} style={{ width: `${(1 - positiveShare) * 100}%` }} />
          </>
        )}
      </div>
    </div>
  )
}

function Avatars({ iod: { votes } }: { iod: Iod }) {
  if (votes.length === 0) return null
  const shown = votes.slice(0, AVATARS_MAX)
  const more = votes.length - shown.length
  const names = shown.map(vote => vote.username ?? 'Unknown')
  return (
    <div
      className={styles.avatars}
      role="img"
      aria-label={`Voted: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`}
    >
      {shown.map((vote, index) => (
        <span key={vote.id} className={styles.avatar} title={names[index]}>
          {(vote.username ?? '?').slice(0, 2).toUpperCase()}
        </span>
      ))}
      {more > 0 && <span className={styles.rest}>+{more}</span>}
    </div>
  )
}
