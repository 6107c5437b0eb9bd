import type { CampaignTechnique } from '@iodine/contracts'
import type { Technique } from '@iodine/exchange/disarm'
import {
  Button,
  Checkbox,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  SearchInput,
} from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { memo, useDeferredValue, useMemo, useState } from 'react'
import { searchTechniques } from '../model/techniques'
import type { useTechniqueList } from '../queries/techniques'
import styles from './TechniquesDialog.module.css'

export interface TechniquesDialogProps {
  list: ReturnType<typeof useTechniqueList>
  used: readonly CampaignTechnique[]
  isOpen: boolean
  onClose: () => void
  onAdd: (tid: string) => void
  onRemove: (tid: string) => void
}

/** A dialog with the list of DISARM techniques. Each selection is stored immediately. */
export function TechniquesDialog({ isOpen, ...choice }: TechniquesDialogProps) {
  return (
    <Dialog
      className={styles.dialog}
      isOpen={isOpen}
      onClose={choice.onClose}
      title="Techniques of the campaign"
    >
      <TechniqueChoice {...choice} />
    </Dialog>
  )
}

function TechniqueChoice({ list, used, onClose, onAdd, onRemove }: Omit<TechniquesDialogProps, 'isOpen'>) {
  const [text, setText] = useState('')
  const wanted = useDeferredValue(text)
  const usedIds = useMemo(() => new Set(used.map(({ id }) => id)), [used])
  const current = useMemo(() => list.data?.filter(({ until }) => until === null) ?? [], [list.data])
  const found = useMemo(() => searchTechniques(current, wanted), [current, wanted])
  return (
    <>
      <DialogBody className={styles.body}>
        <SearchInput
          value={text}
          onChange={setText}
          placeholder="Search by id, name or tactic..."
          autoFocus
        />
        <p className={styles.count} role="status">
          {formatAmount(found.length, 'technique')}, {formatCount(used.length)} chosen
        </p>
        <div className={styles.frame}>
          <LoadingPanel
            query={list}
            errorTitle="Failed to load the list of techniques"
            isEmpty={() => found.length === 0}
            empty={<EmptyState title="No techniques match your search" />}
          >
            {() =>
              byTactic(found).map(([tactic, techniques]) => (
                <section key={tactic}>
                  <h3 className={styles.tactic}>{tactic}</h3>
                  <ul className={styles.list} aria-label={`Techniques of ${tactic}`}>
                    {techniques.map(technique => (
                      <Choice
                        key={technique.id}
                        technique={technique}
                        isUsed={usedIds.has(technique.id)}
                        onChange={usedIds.has(technique.id) ? onRemove : onAdd}
                      />
                    ))}
                  </ul>
                </section>
              ))
            }
          </LoadingPanel>
        </div>
        <p className={styles.source}>
          <a
            href="https://github.com/DISARMFoundation/DISARMframeworks"
            target="_blank"
            rel="noopener noreferrer"
          >
            DISARM
          </a>{' '}
          by the DISARM Foundation, CC BY-SA 4.0
        </p>
      </DialogBody>
      <DialogFooter actions={<Button intent="primary" text="Done" onClick={onClose} />} />
    </>
  )
}

/** Groups techniques by tactic, in the order of the list. */
const byTactic = (techniques: readonly Technique[]): [tactic: string, techniques: Technique[]][] => {
  const groups = new Map<string, Technique[]>()
  for (const technique of techniques) {
    const group = groups.get(technique.tactic.name)
    if (group) group.push(technique)
    else groups.set(technique.tactic.name, [technique])
  }
  return [...groups]
}

interface ChoiceProps {
  technique: Technique
  isUsed: boolean
  onChange: (tid: string) => void
}

/** Memoized, because the list contains hundreds of techniques. */
const Choice = memo(function Choice({ technique: { id, name }, isUsed, onChange }: ChoiceProps) {
  return (
    <li>
      <Checkbox className={styles.choice} checked={isUsed} onChange={() => onChange(id)}>
        <span className={styles.id}>{id}</span> {name}
      </Checkbox>
    </li>
  )
})
