import type { CanonicalDetail, CanonicalNarrative } from '@iodine/contracts'
import { LIMITS } from '@iodine/contracts'
import { Callout, EmptyState, LoadingPanel, Radio, SearchInput, useSearchText } from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { nameOf, reachText, sameAfterMerge } from '../model/canonical'
import { useCanonicalSearch } from '../queries/canonical'
import styles from './MergeDialog.module.css'
import { Parts } from './Parts'

export interface MergeDialogProps {
  isOpen: boolean
  narrative: CanonicalDetail
  /** Resolves to the error message; null if the merge succeeded. */
  onMerge: (other: CanonicalNarrative) => Promise<string | null>
  onClose: () => void
}

/** The dialog that finds another narrative and merges both. */
export default function MergeDialog({ isOpen, ...form }: MergeDialogProps) {
  return (
    <Dialog
      className={styles.dialog}
      isOpen={isOpen}
      onClose={form.onClose}
      title="Merge with another narrative"
      canOutsideClickClose={false}
    >
      <MergeForm {...form} />
    </Dialog>
  )
}

function MergeForm({ narrative, onMerge, onClose }: Omit<MergeDialogProps, 'isOpen'>) {
  const [q, setQ] = useState('')
  const [text, setText] = useSearchText(q, setQ)
  const [chosen, setChosen] = useState<CanonicalNarrative | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const found = useCanonicalSearch(q.trim())
  const choose = (other: CanonicalNarrative) => {
    setChosen(other)
    setProblem(null)
  }
  const submit = async () => {
    if (!chosen) return false
    const why = await onMerge(chosen)
    setProblem(why)
    return why === null
  }
  return (
    <DialogForm submitLabel="Merge" canSubmit={chosen !== null} onSubmit={submit} onClose={onClose}>
      <div className={styles.form}>
        <p>
          Which narrative makes the same statement as <b>{nameOf(narrative)}</b>?
        </p>
        <SearchInput
          value={text}
          onChange={next => setText(next.slice(0, LIMITS.searchMax))}
          placeholder="Search narratives..."
          hotkey={false}
          autoFocus
        />
        <div className={styles.found}>
          <LoadingPanel
            query={found}
            errorTitle="Unable to load canonical narratives"
            isEmpty={all => all.every(({ id }) => id === narrative.id)}
            empty={<EmptyState title="No other narrative has a matching variant" />}
          >
            {all =>
              all
                .filter(({ id }) => id !== narrative.id)
                .map(other => (
                  <Radio
                    key={other.id}
                    className={styles.choice}
                    name="merge-with"
                    checked={chosen?.id === other.id}
                    onChange={() => choose(other)}
                  >
                    <span className={styles.other}>
                      <Parts narrative={other} /> <span className={styles.meta}>{reachText(other)}</span>
                    </span>
                  </Radio>
                ))
            }
          </LoadingPanel>
        </div>
        {chosen && (
          <Callout icon={false} compact title="The merge applies to all of your narratives">
            <ul className={styles.same}>
              {sameAfterMerge(narrative, chosen).map(({ part, left, right }) => (
                <li key={part}>
                  <bdi>“{left}”</bdi> and <bdi>“{right}”</bdi> count as the same
                </li>
              ))}
            </ul>
          </Callout>
        )}
        {problem && (
          <Callout intent="warning" role="alert" compact>
            {problem}
          </Callout>
        )}
      </div>
    </DialogForm>
  )
}
