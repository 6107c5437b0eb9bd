import type { CampaignDetail, Category, Iod } from '@iodine/contracts'
import {
  Button,
  Callout,
  CategoryTag,
  Checkbox,
  EmptyState,
  formatCount,
  LoadingPanel,
  ProgressBar,
  SearchInput,
  useSearchText,
} from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter, FilterMenu } from '@iodine/ui/overlays'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useState } from 'react'
import { useAdd } from '../queries/add'
import { useChoiceCounts, useChoices } from '../queries/choices'
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

/** Selects IODs that are not yet in the campaign, and adds them. */
export function AddIodsDialog({ campaign, isOpen, onClose }: AddIodsDialogProps) {
  const [wanted, setWanted] = useState('')
  const [text, setText] = useSearchText(wanted, setWanted)
  const [categories, setCategories] = useState<Category[]>([])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const { addIods } = useAdd(campaign.id)
  const choices = useChoices(campaign.iods, wanted, categories, isOpen)
  const counts = useChoiceCounts(campaign.iods, isOpen)
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = choices

  useEffect(() => {
    if (!isOpen) return
    setWanted('')
    setCategories([])
    setChosen(new Set())
  }, [isOpen])

  const toggle = (id: string) =>
    setChosen(current => {
      const next = new Set(current)
      if (!next.delete(id)) next.add(id)
      return next
    })
  const submit = async () => {
    const ids = [...chosen]
    setProgress({ done: 0, total: ids.length })
    const added = await addIods(ids, done => setProgress({ done, total: ids.length }))
    setProgress(null)
    setChosen(new Set(ids.slice(added)))
    if (added === ids.length) onClose()
  }

  return (
    <Dialog
      className={styles.dialog}
      isOpen={isOpen}
      onClose={onClose}
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
        <h3 className={styles.title}>Available IODs ({formatCount(choices.total, choices.isExact)})</h3>
        <LoadingPanel
          query={choices}
          errorTitle="Failed to load IODs"
          isEmpty={iods => iods.length === 0 && !hasNextPage}
          empty={
            <EmptyState
              title={
                wanted.trim() || categories.length > 0 ? 'No IODs match your search' : 'No IODs left to add'
              }
            />
          }
        >
          {iods => (
            <Choices
              key={`${wanted} ${categories}`}
              iods={iods}
              total={hasNextPage && !choices.isExact ? null : choices.total}
              mayFetch={hasNextPage && !isFetching && !isFetchNextPageError}
              fetchMore={fetchNextPage}
              isBusy={isFetching}
              chosen={chosen}
              onToggle={toggle}
              disabled={progress !== null}
            />
          )}
        </LoadingPanel>
        {isFetchNextPageError && (
          <p className={styles.info}>
            More IODs could not be loaded.{' '}
            <Button size="small" text="Retry" onClick={() => fetchNextPage()} />
          </p>
        )}
        {chosen.size > 0 && (
          <div className={styles.info} role="status">
            <Callout intent="primary" compact>
              {formatCount(chosen.size)} IOD(s) selected to add
            </Callout>
          </div>
        )}
        {progress && progress.total >= PROGRESS_FROM && (
          <div className={styles.info} role="status">
            <ProgressBar
              value={progress.done / progress.total}
              intent="primary"
              stripes={false}
              aria-label="IODs added"
            />
            <p className={styles.progress}>
              {progress.done} of {progress.total} added
            </p>
          </div>
        )}
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text="Cancel" onClick={onClose} disabled={progress !== null} />
            <Button
              intent="primary"
              text={`Add ${chosen.size} IOD(s)`}
              disabled={chosen.size === 0}
              loading={progress !== null}
              onClick={submit}
            />
          </>
        }
      />
    </Dialog>
  )
}

interface ChoicesProps {
  iods: Iod[]
  /** Null if it is not known exactly. */
  total: number | null
  mayFetch: boolean
  fetchMore: () => void
  isBusy: boolean
  chosen: ReadonlySet<string>
  onToggle: (id: string) => void
  disabled: boolean
}

/** A virtualized list of the choices that fetches the next page near the end of the loaded ones. */
function Choices({ iods, total, mayFetch, fetchMore, isBusy, chosen, onToggle, disabled }: ChoicesProps) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: iods.length,
    getScrollElement: () => frame,
    estimateSize: () => CHOICE_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: index => iods[index]?.id ?? index,
  })
  const shown = virtualizer.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (mayFetch && last >= iods.length - READ_AHEAD) fetchMore()
  }, [mayFetch, last, iods.length, fetchMore])
  return (
    <div ref={setFrame} className={styles.choices}>
      <ul aria-label="Available IODs" aria-busy={isBusy} style={{ height: virtualizer.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const iod = iods[index]
          return (
            iod && (
              <li
                key={key}
                aria-posinset={index + 1}
                aria-setsize={total ?? -1}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Checkbox
                  className={styles.choice}
                  checked={chosen.has(iod.id)}
                  disabled={disabled}
                  onChange={() => onToggle(iod.id)}
                >
                  <span className={styles.label}>
                    <span className={styles.text}>
                      <span className={styles.value} dir="auto">
                        {iod.value}
                      </span>
                      <span className={styles.description} dir="auto">
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
