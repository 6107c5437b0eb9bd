import type { ReactNode } from 'react'
import cells from './cells.module.css'

/** Two lines of a cell, the second one muted. */
export function Lines({ first, second }: { first: ReactNode; second?: ReactNode }) {
  return (
    <div className={cells.cell}>
      <span className={cells.text}>{first}</span>
      {second && <span className={cells.muted}>{second}</span>}
    </div>
  )
}
