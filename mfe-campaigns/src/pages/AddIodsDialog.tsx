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
} from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter, FilterMenu } from '@iodine/ui/overlays'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { countBy, searchChoices } from '../model/iods'
import { useAdd } from '../queries/add'
import { useAllIods } from '../queries/members'
import styles from './AddIodsDialog.module.css'

const CHOICE_HEIGHT = 56
const OVERSCAN = 4
/** Minimum number of IODs for which progress is shown. */
const PROGRESS_FROM = 11

export interface AddIodsDialogProps {
  campaign: CampaignDetail
  isOpen: boolean
  onClose: () => void
}

/** Selects IODs that are not yet in the campaign, and adds them one by one. */
export function AddIodsDialog({ campaign, isOpen, onClose }: AddIodsDialogProps) {
  const all = useAllIods(isOpen)
  const [text, setText] = useState('')
  const [categories, setCategories] = useState<Category[]>([])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<{ done: number; total: number } | null>(null)
  const add = useAdd(campaign.id)
  const wanted = useDeferredValue(text)

  useEffect(() => {
    if (!isOpen) return
    setText('')
    setCategories([])
    setChosen(new Set())
  }, [isOpen])

  const available = useMemo(() => {
    const members = new Set(campaign.iods.map(({ id }) => id))
    return all.data?.filter(({ id }) => !members.has(id))
  }, [all.data, campaign.iods])
  const found = useMemo(
    () => available && searchChoices(available, wanted, categories),
    [available, wanted, categories],
  )
  const counts = useMemo(() => countBy(available ?? [], ({ category }) => category), [available])

  const toggle = (id: string) =>
    setChosen(current => {
      const next = new Set(current)
      if (!next.delete(id)) next.add(id)
      return next
    })
  const submit = async () => {
    const ids = [...chosen]
    setProgress({ done: 0, total: ids.length })
    const added = await add(
      ids,
      id => id,
      done => setProgress({ done, total: ids.length }),
    )
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
        <h3 className={styles.title}>Available IODs ({formatCount(found?.length ?? 0)})</h3>
        <LoadingPanel
          query={{ ...all, data: found }}
          errorTitle="Failed to load IODs"
          isEmpty={iods => iods.length === 0}
          empty={
            <EmptyState title={available?.length ? 'No IODs match your search' : 'No IODs left to add'} />
          }
        >
          {iods => (
            <Choices
              key={`${wanted} ${categories}`}
              iods={iods}
              chosen={chosen}
              onToggle={toggle}
              disabled={progress !== null}
            />
          )}
        </LoadingPanel>
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
  chosen: ReadonlySet<string>
  onToggle: (id: string) => void
  disabled: boolean
}

/** A virtualized list of the choices, because these may be all IODs of the product. */
function Choices({ iods, chosen, onToggle, disabled }: ChoicesProps) {
  const [frame, setFrame] = useState<HTMLElement | null>(null)
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: iods.length,
    getScrollElement: () => frame,
    estimateSize: () => CHOICE_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: index => iods[index]?.id ?? index,
  })
  return (
    <div ref={setFrame} className={styles.choices}>
      <ul aria-label="Available IODs" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const iod = iods[index]
          return (
            iod && (
              <li
                key={key}
                aria-posinset={index + 1}
                aria-setsize={iods.length}
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
