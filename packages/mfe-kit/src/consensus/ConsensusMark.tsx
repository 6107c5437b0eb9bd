import type { Consensus } from '@iodine/contracts'
import { Tooltip } from '@iodine/ui/overlays'
import styles from './consensus.module.css'
import { consensusShown, independentOf } from './shown'

/** Two significant digits at least: 3.1, 31, 310. */
const format = (n: number) => n.toLocaleString('en-US', { maximumFractionDigits: n < 10 ? 1 : 0 })

export interface ConsensusMarkProps {
  /** Number of the IOD's votes. */
  votes: number
  /** Undefined while it is not known. */
  consensus: Consensus | undefined
  /** -1 in rows, which are one Tab stop. */
  tabIndex?: number
}

/** '12 votes ≈ 3.1 independent', explained on hover and focus; nothing where the two hardly differ. */
export function ConsensusMark({ votes, consensus, tabIndex = 0 }: ConsensusMarkProps) {
  if (!consensusShown(votes, consensus)) return null
  const independent = format(independentOf(consensus))
  const count = `${votes.toLocaleString('en-US')} ${votes === 1 ? 'vote' : 'votes'}`
  return (
    <Tooltip className={styles.tooltip} content={consensus.reason} placement="bottom">
      <button type="button" className={styles.mark} tabIndex={tabIndex} aria-description={consensus.reason}>
        {count} ≈ {independent} independent
      </button>
    </Tooltip>
  )
}
