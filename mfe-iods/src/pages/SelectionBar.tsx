import type { Iod } from '@iodine/contracts'
import { errorToast, useAction } from '@iodine/mfe-kit'
import { Button, formatCount } from '@iodine/ui'
import { CaretDownIcon, CrossIcon, ExportIcon, FolderNewIcon, KeyCommandIcon } from '@iodine/ui/icons'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import { useEffect, useRef, useState } from 'react'
import { SELECTED_MAX, type Selection } from '../model/selection'
import { useExportIods } from '../queries/export'
import type { IodList } from '../queries/list'
import styles from './SelectionBar.module.css'

export interface SelectionBarProps {
  selection: Selection
  /** The IODs that match the filters. */
  list: IodList
  /** Identifies the filters: a change cancels the loading of matching IODs. */
  search: string
  /** Loads the first `max` matching IODs. */
  readMatching: (max: number, signal: AbortSignal, onStep: (read: number) => void) => Promise<Iod[]>
  onSelect: (iods: readonly Iod[]) => void
  onClear: () => void
  onAddToCampaign: () => void
  onShowKeys: () => void
}

/** A bar that selects all matching IODs, and offers the actions for the selected ones. */
export function SelectionBar(props: SelectionBarProps) {
  const { selection, onClear, onAddToCampaign, onShowKeys } = props
  const { run } = useExportIods()
  const save = (format: 'csv' | 'json') => void run({ iods: [...selection.values()], format })
  return (
    <fieldset className={styles.bar} aria-label="Selection">
      <SelectAll {...props} />
      <div className={selection.size > 0 ? styles.selected : undefined}>
        <span className={styles.count} aria-live="polite">
          {selection.size > 0 && `${formatCount(selection.size)} selected`}
        </span>
        {selection.size > 0 && (
          <>
            <Button
              size="small"
              intent="primary"
              icon={<FolderNewIcon className={styles.icon ?? ''} size={14} />}
              text="Add to campaign"
              onClick={onAddToCampaign}
            />
            <Popover
              placement="bottom-start"
              content={
                <Menu>
                  <MenuItem text="CSV" onClick={() => save('csv')} />
                  <MenuItem text="JSON" onClick={() => save('json')} />
                </Menu>
              }
            >
              <Button
                size="small"
                icon={<ExportIcon className={styles.icon ?? ''} size={14} />}
                endIcon={<CaretDownIcon size={14} />}
                text="Export"
              />
            </Popover>
            <Button
              size="small"
              variant="minimal"
              icon={<CrossIcon className={styles.cross ?? ''} size={14} />}
              text={<span className={styles.clear}>Clear selection</span>}
              onClick={onClear}
            />
          </>
        )}
      </div>
      <Button
        className={styles.keys ?? ''}
        size="small"
        variant="minimal"
        icon={<KeyCommandIcon size={14} />}
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={onShowKeys}
      />
    </fieldset>
  )
}

function SelectAll({ list, search, readMatching, onSelect }: SelectionBarProps) {
  const { total = 0, isExact, isPlaceholderData } = list
  const [read, setRead] = useState(0)
  const reading = useRef<AbortController>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters end the reading
  useEffect(() => () => reading.current?.abort(), [search])
  const select = useAction({
    mutationFn: ({ signal }: AbortController) => readMatching(SELECTED_MAX, signal, setRead),
    onMutate: () => setRead(0),
    onSuccess: (iods, { signal }) => signal.aborted || onSelect(iods),
    failed: (error, { signal }) => (signal.aborted ? null : errorToast(error, 'Failed to load IODs')),
  })
  if (total === 0) return null
  const text =
    isExact && total <= SELECTED_MAX
      ? `Select all ${formatCount(total)} matching`
      : `Select the first ${formatCount(SELECTED_MAX)}${isExact ? ` of ${formatCount(total)}` : ''} matching`
  return (
    <Button
      size="small"
      variant="minimal"
      intent="primary"
      text={select.isPending ? `Selecting… ${formatCount(read)}` : text}
      disabled={isPlaceholderData || select.isPending}
      onClick={() => {
        reading.current = new AbortController()
        void select.run(reading.current)
      }}
    />
  )
}
