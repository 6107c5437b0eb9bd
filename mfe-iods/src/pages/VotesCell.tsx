import type { Consensus, Iod } from '@iodine/contracts'
import { ConsensusMark, useListedConsensus } from '@iodine/mfe-kit/consensus'
import type { CSSProperties } from 'react'
import { summarizeVotes } from '../model/votes'
import styles from './VotesCell.module.css'

const AVATARS_MAX = 3

/** Vote counts, the share of positive votes as a bar, the voters, and the number of independent votes if it differs. */
export function VotesCell({ iod }: { iod: Iod }) {
  const consensus = useListedConsensus(iod.id)
  return (
    <>
      <div className={styles.votes}>
        <Tally iod={iod} consensus={consensus} />
        <Avatars iod={iod} />
      </div>
      <ConsensusMark votes={iod.votes.length} consensus={consensus} />
    </>
  )
}

/** Vote counts, and the share of positive votes as a bar: solid for independent votes, pale for the others. */
export function Tally({ iod, consensus }: { iod: Iod; consensus?: Consensus | undefined }) {
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
            <span
              className={styles.positiveBar}
              style={barOf(positiveShare, positive.length, consensus?.for)}
            />
            <span
              className={styles.negativeBar}
              style={barOf(1 - positiveShare, negative.length, consensus?.against)}
            />
          </>
        )}
      </div>
    </div>
  )
}

/** @param independent number of independent votes; undefined while it loads */
const barOf = (share: number, votes: number, independent = votes) =>
  ({
    width: `${share * 100}%`,
    '--solid': `${votes === 0 ? 0 : Math.min(1, independent / votes) * 100}%`,
  }) as CSSProperties

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
