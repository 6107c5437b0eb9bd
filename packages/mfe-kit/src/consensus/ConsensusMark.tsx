import { type Consensus, independentOf, showsIndependence } from '@iodine/contracts'
import { Tooltip } from '@iodine/ui/overlays'
import styles from './consensus.module.css'

/** Formats at least two significant digits: 3.1, 31, 310. */
const format = (n: number) => n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 1 : 0 })

export interface ConsensusMarkProps {
  /** Number of the IOD's votes. */
  votes: number
  /** Undefined while it loads. */
  consensus: Consensus | undefined
}

/**
 * The text '12 votes ≈ 3.1 independent', with the reason in a tooltip. Rows show only its second half, below their
 * counts of votes. Renders nothing unless `showsIndependence`. It is no Tab stop, because the IOD's details contain the
 * reason.
 */
export function ConsensusMark({ votes, consensus }: ConsensusMarkProps) {
  if (!showsIndependence(votes, consensus)) return null
  return (
    <Tooltip
      className={styles.tooltip}
      content={<p className={styles.reason}>{consensus.reason}</p>}
      placement="bottom"
      openOnTargetFocus={false}
    >
      <span className={styles.mark}>
        <span className="visually-hidden">{votes.toLocaleString('en-US')} votes </span>≈{' '}
        {format(independentOf(consensus))} independent
      </span>
    </Tooltip>
  )
}
