import type { CampaignTechnique } from '@iodine/contracts'
import type { Technique } from '@iodine/exchange/disarm'
import { Button, Checkbox, EmptyState, formatCount, LoadingPanel, SearchInput } from '@iodine/ui'
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

/** Chooses techniques from the list of DISARM. Each choice is stored at once. */
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
  const found = useMemo(() => searchTechniques(list.data ?? [], wanted), [list.data, wanted])
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
          {formatCount(found.length)} technique(s), {formatCount(used.length)} chosen
        </p>
        <div className={styles.frame}>
          <LoadingPanel
            query={list}
            errorTitle="Failed to load the list of techniques"
            isEmpty={() => found.length === 0}
            empty={<EmptyState title="No techniques match your search" />}
          >
            {() => (
              <ul className={styles.list} aria-label="Techniques of DISARM">
                {found.map(technique => (
                  <Choice
                    key={technique.id}
                    technique={technique}
                    isUsed={usedIds.has(technique.id)}
                    onChange={usedIds.has(technique.id) ? onRemove : onAdd}
                  />
                ))}
              </ul>
            )}
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

interface ChoiceProps {
  technique: Technique
  isUsed: boolean
  onChange: (tid: string) => void
}

/** Drawn again only where something changes: there are some hundred. */
const Choice = memo(function Choice({ technique: { id, name, tactic }, isUsed, onChange }: ChoiceProps) {
  return (
    <li>
      <Checkbox className={styles.choice} checked={isUsed} onChange={() => onChange(id)}>
        <span className={styles.text}>
          <span>
            <span className={styles.id}>{id}</span> {name}
          </span>{' '}
          <span className={styles.tactic}>{tactic}</span>
        </span>
      </Checkbox>
    </li>
  )
})
