import { useRef } from 'react'
import { usePlaceLeft } from '../hooks/use-place-left'
import styles from './Table.module.css'

/** The place of a removed row in a virtualized table. */
export interface Gap {
  id: string
  /** Shown in it. */
  gap: string
  /** Called once it may go. */
  onLeave: () => void
}

export const isGap = (row: object): row is Gap => 'gap' in row && 'onLeave' in row

/** As high as a row; no row for assistive technology. */
export function GapRow({ gap, columns }: { gap: Gap; columns: number }) {
  const row = useRef<HTMLTableRowElement>(null)
  usePlaceLeft(row, gap.onLeave)
  return (
    <tr ref={row} aria-hidden>
      <td className={styles.gap} colSpan={columns}>
        {gap.gap}
      </td>
    </tr>
  )
}
