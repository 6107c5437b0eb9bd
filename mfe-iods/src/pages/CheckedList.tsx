import { Button, EmptyState, formatAmount, formatCount, toggled } from '@iodine/ui'
import { DownloadIcon, FolderNewIcon, PlusIcon } from '@iodine/ui/icons'
import { useMemo, useState } from 'react'
import {
  type CheckedValue,
  isNew,
  SHOWN,
  type Shown,
  shownValues,
  sums,
  withCampaign,
} from '../model/check-list'
import { useCreateListed, useSaveTable } from '../queries/check-list'
import { AddToCampaignDialog } from './AddToCampaignDialog'
import { CheckedTable, ChoicesContext } from './CheckedTable'
import styles from './CheckListPage.module.css'
import { CreateListedDialog } from './CreateListedDialog'

const LABELS: Record<Shown, string> = {
  all: 'All',
  new: 'New',
  known: 'Known',
  data: 'In my data',
  campaigns: 'In campaigns',
  problem: 'Problems',
}

export interface CheckedListProps {
  values: readonly CheckedValue[]
  onChange: (change: (values: readonly CheckedValue[]) => readonly CheckedValue[]) => void
}

/** The ticked values, and the controls of the rows. */
function useTicked(onChange: CheckedListProps['onChange']) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const choices = useMemo(
    () => ({
      ticked,
      tick: (id: string) => setTicked(current => new Set(toggled([...current], id))),
      setCategory: (id: string, category: CheckedValue['category']) =>
        onChange(values => values.map(each => (each.id === id ? { ...each, category } : each))),
    }),
    [ticked, onChange],
  )
  return { choices, setTicked }
}

/** The checked values with their sums, which filter the table, and the actions for the ticked ones. */
export function CheckedList({ values, onChange }: CheckedListProps) {
  const [shown, setShown] = useState<Shown>('all')
  const { choices, setTicked } = useTicked(onChange)
  const { ticked } = choices
  const [isCreating, setCreating] = useState(false)
  const [adding, setAdding] = useState<readonly string[] | null>(null)
  const listed = useMemo(() => shownValues(values, shown), [values, shown])
  const chosen = values.filter(({ id }) => ticked.has(id))
  const fresh = chosen.filter(isNew)
  const known = [...new Set(chosen.flatMap(({ iods }) => iods.map(({ id }) => id)))]
  const save = useSaveTable()
  const creation = useCreateListed(changed => {
    onChange(values => values.map(each => changed.get(each.id) ?? each))
    setCreating(false)
    if ([...changed.values()].some(({ problem }) => problem !== undefined)) setShown('problem')
  })

  const isAllTicked = listed.length > 0 && listed.every(({ id }) => ticked.has(id))
  return (
    <>
      <Sums values={values} shown={shown} onShow={setShown} />
      <fieldset className={styles.bar} aria-label="Selection">
        <Button
          variant="minimal"
          intent="primary"
          text={isAllTicked ? 'Clear selection' : `Select all ${formatCount(listed.length)} shown`}
          disabled={listed.length === 0}
          onClick={() =>
            setTicked(isAllTicked ? new Set() : new Set([...ticked, ...listed.map(({ id }) => id)]))
          }
        />
        <span className={styles.meta} aria-live="polite">
          {ticked.size > 0 && `${formatCount(ticked.size)} selected`}
        </span>
        <span className={styles.buttons}>
          <Button
            intent="primary"
            icon={<PlusIcon />}
            text={fresh.length > 0 ? `Create ${formatAmount(fresh.length, 'IOD')}` : 'Create IODs'}
            disabled={fresh.length === 0}
            onClick={() => setCreating(true)}
          />
          <Button
            icon={<FolderNewIcon />}
            text={
              known.length > 0 ? `Add ${formatAmount(known.length, 'IOD')} to campaign` : 'Add to campaign'
            }
            disabled={known.length === 0}
            onClick={() => setAdding(known)}
          />
          <Button icon={<DownloadIcon />} text="Download CSV" onClick={() => void save.run(listed)} />
        </span>
      </fieldset>
      <ChoicesContext value={choices}>
        {listed.length > 0 ? (
          <CheckedTable key={shown} values={listed} />
        ) : (
          <EmptyState title="No values here" description="Choose another filter above." />
        )}
      </ChoicesContext>
      <CreateListedDialog
        isOpen={isCreating}
        count={fresh.length}
        progress={creation.progress}
        onCreate={(fields, category) =>
          creation.run(category ? fresh.map(each => ({ ...each, category })) : fresh, fields)
        }
        onStop={creation.stop}
        onClose={() => setCreating(false)}
      />
      <AddToCampaignDialog
        iodIds={adding}
        onClose={() => setAdding(null)}
        onAdded={campaign => onChange(values => withCampaign(values, adding ?? [], campaign))}
      />
    </>
  )
}

interface SumsProps {
  values: readonly CheckedValue[]
  shown: Shown
  onShow: (shown: Shown) => void
}

function Sums({ values, shown, onShow }: SumsProps) {
  const counts = useMemo(() => sums(values), [values])
  return (
    <fieldset className={styles.sums} aria-label="Show">
      {SHOWN.filter(name => name !== 'problem' || counts.problem > 0).map(name => (
        <Button
          key={name}
          active={shown === name}
          aria-pressed={shown === name}
          text={`${LABELS[name]} ${formatCount(counts[name])}`}
          onClick={() => onShow(name)}
        />
      ))}
    </fieldset>
  )
}
