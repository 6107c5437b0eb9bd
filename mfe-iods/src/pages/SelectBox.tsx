import type { Iod } from '@iodine/contracts'
import { Checkbox } from '@iodine/ui'
import { createContext, use } from 'react'
import { NOTHING, type Selection } from '../model/selection'
import styles from './SelectBox.module.css'

interface RowSelection {
  selection: Selection
  /** Selects or clears an IOD; with `isRange` all from the last one that was given. */
  choose: (iod: Iod, isSelected: boolean, isRange: boolean) => void
}

/** The selection, for the cells of the list: a change draws the checkboxes alone. */
export const RowSelectionContext = createContext<RowSelection>({ selection: NOTHING, choose: () => {} })

/** Selects the IOD of a row; with Shift, all from the last one that was selected. */
export function SelectBox({ iod }: { iod: Iod }) {
  const { selection, choose } = use(RowSelectionContext)
  return (
    <Checkbox
      className={styles.box ?? ''}
      aria-label="Select"
      tabIndex={-1}
      checked={selection.has(iod.id)}
      onChange={({ currentTarget, nativeEvent }) =>
        choose(iod, currentTarget.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
      }
    />
  )
}
