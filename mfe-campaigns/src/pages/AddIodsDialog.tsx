import type { CampaignDetail, Category, Iod } from '@iodine/contracts'
import { useAction } from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  CategoryTag,
  Checkbox,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  ProgressText,
  SearchInput,
  useLatest,
  useSearchText,
} from '@iodine/ui'
import { ConfirmDialog, Dialog, DialogActions, DialogBody, FilterMenu } from '@iodine/ui/overlays'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ChangeEvent, useEffect, useRef, useState } from 'react'
import { useAdd } from '../queries/add'
import { type Choices, SELECTED_AT_ONCE_MAX, useChoiceCounts, useChoices } from '../queries/choices'
import { TOAST_MS } from '../queries/toasts'
import styles from './AddIodsDialog.module.css'

const CHOICE_HEIGHT = 56
const OVERSCAN = 4
/** Minimum number of IODs for which progress is shown. */
const PROGRESS_FROM = 11
/** Number of choices before the last loaded one at which the next page is fetched. */
const READ_AHEAD = 20

export interface AddIodsDialogProps {
  campaign: CampaignDetail
  isOpen: boolean
  onClose: () => void
}

/** The dialog that adds IODs to a campaign. It lists IODs that the campaign does not contain. */
export function AddIodsDialog({ campaign, isOpen, onClose }: AddIodsDialogProps) {
  const [wanted, setWanted] = useState('')
  const [text, setText] = useSearchText(wanted, setWanted)
  const [categories, setCategories] = useState<Category[]>([])
  const [isAsking, setAsking] = useState(false)
  const { chosen, choose, clear, progress, submit } = useChosen(campaign.id, onClose)
  const choices = useChoices(campaign.iods, wanted, categories, isOpen)
  const counts = useChoiceCounts(campaign.iods, isOpen)
  const { fetchNextPage, nextPageError } = choices.more
  /** If IODs are selected, Escape and the close button require a confirmation. */
  const leave = () => (chosen.size > 0 ? setAsking(true) : onClose())
  return (
    <>
      <Dialog
        className={styles.dialog}
        isOpen={isOpen}
        onClose={leave}
        title="Add IODs to Campaign"
        canOutsideClickClose={false}
        canEscapeKeyClose={progress === null}
        isCloseButtonShown={progress === null}
      >
        <DialogBody className={styles.body}>
          <div className={styles.filters}>
            <SearchInput
              className={styles.search}
              value={text}
              onChange={setText}
              placeholder="Search IODs..."
              hotkey={isOpen}
              autoFocus
            />
            <FilterMenu
              label="Categories"
              placement="bottom-end"
              choices={counts.map(([category]) => category)}
              chosen={categories}
              counts={Object.fromEntries(counts)}
              onChange={setCategories}
            />
          </div>
          <div className={styles.heading}>
            <h3 className={styles.title}>Available IODs ({formatCount(choices.total, choices.isExact)})</h3>
            <SelectAll choices={choices} isBusy={progress !== null} onSelect={ids => choose(ids, true)} />
          </div>
          <div className={styles.list}>
            <Results choices={choices} chosen={chosen} onChoose={choose} disabled={progress !== null} />
          </div>
          {Boolean(nextPageError) && (
            <p className={styles.more}>
              More IODs could not be loaded.{' '}
              <Button size="small" text="Retry" onClick={() => fetchNextPage()} />
            </p>
          )}
          <div className={styles.info} role="status">
            <ChosenNote chosen={chosen} progress={progress} onClear={clear} />
          </div>
        </DialogBody>
        <DialogActions
          text={`Add ${chosen.size} IOD(s)`}
          disabled={chosen.size === 0}
          loading={progress !== null}
          onClick={submit}
          cancel={{ onClick: onClose, disabled: progress !== null }}
        />
      </Dialog>
      <ConfirmDialog
        isOpen={isAsking}
        title="Discard the selection?"
        confirmLabel="Discard selection"
        onConfirm={async () => onClose()}
        onClose={() => setAsking(false)}
      >
        {formatAmount(chosen.size, 'IOD')} {chosen.size === 1 ? 'is' : 'are'} selected but not added yet.
      </ConfirmDialog>
    </>
  )
}

interface Progress {
  done: number
  total: number
}

/** The selected IODs, and their addition. `onAdded` is called once all were added; the others stay selected. */
function useChosen(campaignId: string, onAdded: () => void) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<Progress | null>(null)
  const add = useAdd(campaignId)
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen(current => {
      const next = new Set(current)
      for (const id of ids) isChosen ? next.add(id) : next.delete(id)
      return next
    })
  const submit = async () => {
    const ids = [...chosen]
    let added = 0
    setProgress({ done: 0, total: ids.length })
    await add.run({
      ids,
      onStep: done => {
        added = done
        setProgress({ done, total: ids.length })
      },
    })
    setProgress(null)
    setChosen(new Set(ids.slice(added)))
    if (added === ids.length) onAdded()
  }
  return { chosen, choose, clear: () => setChosen(new Set()), progress, submit }
}

interface ChosenNoteProps {
  chosen: ReadonlySet<string>
  progress: Progress | null
  onClear: () => void
}

/** The number of selected IODs, or the progress of their addition. */
const ChosenNote = ({ chosen, progress, onClear }: ChosenNoteProps) =>
  progress && progress.total >= PROGRESS_FROM ? (
    <ProgressText value={progress.done / progress.total} label="IODs added">
      {progress.done} of {progress.total} added
    </ProgressText>
  ) : (
    chosen.size > 0 && (
      <Callout className={styles.selected ?? ''} intent="primary" icon={false} compact>
        <span>{formatCount(chosen.size)} IOD(s) selected to add</span>
        <Button
          size="small"
          variant="minimal"
          text="Clear selection"
          disabled={progress !== null}
          onClick={onClear}
        />
      </Callout>
    )
  )

interface SelectAllProps {
  choices: Choices
  isBusy: boolean
  onSelect: (ids: string[]) => void
}

/** A button that selects all choices that match the search, including those that are not loaded yet. */
function SelectAll({ choices, isBusy, onSelect }: SelectAllProps) {
  const { total, isExact, isPlaceholderData, readIds } = choices
  const latest = useLatest(choices.search)
  const select = useAction({
    mutationFn: (_search: string) => readIds(),
    // The search may have changed during the request.
    onSuccess: (ids, search) => latest.current === search && onSelect(ids),
    failed: { description: 'Failed to load IODs', duration: TOAST_MS },
  })
  if (total === 0) return null
  return (
    <Button
      size="small"
      variant="minimal"
      intent="primary"
      text={
        isExact && total <= SELECTED_AT_ONCE_MAX
          ? `Select all ${formatCount(total)} matching`
          : `Select the newest ${formatCount(SELECTED_AT_ONCE_MAX)} matching`
      }
      loading={select.isPending}
      disabled={isBusy || isPlaceholderData}
      onClick={() => void select.run(choices.search)}
    />
  )
}

interface ResultsProps {
  choices: Choices
  chosen: ReadonlySet<string>
  onChoose: (ids: readonly string[], isChosen: boolean) => void
  disabled: boolean
}

function Results(props: ResultsProps) {
  const { more, search } = props.choices
  return (
    <LoadingPanel
      query={props.choices}
      errorTitle="Failed to load IODs"
      isEmpty={iods => iods.length === 0 && !more.hasNextPage}
      empty={<EmptyState title={search.trim() ? 'No IODs match your search' : 'No IODs left to add'} />}
    >
      {iods => <ChoiceList key={search} iods={iods} {...props} />}
    </LoadingPanel>
  )
}

/**
 * A virtualized list of the choices, which loads the next page near the end of the loaded ones. Shift selects or
 * deselects all choices from the previously clicked one.
 */
function ChoiceList({ iods, choices, chosen, onChoose, disabled }: ResultsProps & { iods: Iod[] }) {
  const { isFetching, isExact, more } = choices
  const { hasNextPage, fetchNextPage, nextPageError } = more
  const mayFetch = hasNextPage && !isFetching && !nextPageError
  const last = useRef<string>(undefined)
  const onChange = ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>, index: number) => {
    const isRange = nativeEvent instanceof MouseEvent && nativeEvent.shiftKey
    const from = isRange ? iods.findIndex(({ id }) => id === last.current) : -1
    const range = from < 0 ? [index, index] : [Math.min(from, index), Math.max(from, index)]
    const [start = index, end = index] = range
    last.current = iods[index]?.id
    onChoose(
      iods.slice(start, end + 1).map(({ id }) => id),
      currentTarget.checked,
    )
  }
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: iods.length,
    getScrollElement: () => frame,
    estimateSize: () => CHOICE_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: index => iods[index]?.id ?? index,
  })
  const shown = virtualizer.getVirtualItems()
  const lastShown = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (mayFetch && lastShown >= iods.length - READ_AHEAD) void fetchNextPage()
  }, [mayFetch, lastShown, iods.length, fetchNextPage])
  return (
    <div ref={setFrame} className={styles.choices}>
      <ul aria-label="Available IODs" aria-busy={isFetching} style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const iod = iods[index]
          return (
            iod && (
              <li
                key={key}
                aria-posinset={index + 1}
                aria-setsize={hasNextPage && !isExact ? -1 : choices.total}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Checkbox
                  className={styles.choice}
                  checked={chosen.has(iod.id)}
                  disabled={disabled}
                  onChange={event => onChange(event, index)}
                >
                  <span className={styles.label}>
                    <span className={styles.text}>
                      <span className={styles.value} dir="auto" title={iod.value}>
                        {iod.value}
                      </span>
                      <span className={styles.description} dir="auto" title={iod.description}>
                        {iod.description}
                      </span>
                    </span>
                    <CategoryTag category={iod.category} />
                  </span>
                </Checkbox>
              </li>
            )
          )
        })}
      </ul>
    </div>
  )
}
