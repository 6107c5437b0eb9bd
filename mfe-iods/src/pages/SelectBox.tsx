import type { Iod } from '@iodine/contracts'
import { Checkbox } from '@iodine/ui'
import { createContext, use } from 'react'
import { EMPTY_SELECTION, type Selection } from '../model/selection'
import styles from './SelectBox.module.css'

interface RowSelection {
  selection: Selection
  /** Selects or deselects an IOD; with `isRange`, all IODs from the previous one to this one. */
  choose: (iod: Iod, isSelected: boolean, isRange: boolean) => void
}

/** The selection as a context for the list's cells, so that a change renders only the checkboxes. */
export const RowSelectionContext = createContext<RowSelection>({
  selection: EMPTY_SELECTION,
  choose: () => {},
})

/** Selects the IOD of a row; with Shift, all IODs from the previously selected one. */
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
