import { useRef } from 'react'
import { usePlaceLeft } from '../hooks/use-place-left'
import styles from './Table.module.css'

/** The placeholder of a removed row in a virtualized table. */
export interface Gap {
  id: string
  gap: string
  /** Called once the placeholder may be removed. */
  onLeave: () => void
}

export const isGap = (row: object): row is Gap => 'gap' in row && 'onLeave' in row

/** A placeholder as high as a row. Assistive technology does not count it as one. */
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
