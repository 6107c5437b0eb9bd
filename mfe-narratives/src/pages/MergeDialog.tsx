import { type CanonicalDetail, type CanonicalNarrative, LIMITS, type MergeScope } from '@iodine/contracts'
import {
  Callout,
  EmptyState,
  formatAmount,
  formatCount,
  LoadingPanel,
  Radio,
  SearchInput,
  useSearchText,
} from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import { nameOf, reachText, sameAfterMerge } from '../model/canonical'
import { useCanonicalSearch, useMergePreview } from '../queries/canonical'
import styles from './MergeDialog.module.css'
import { Parts } from './Parts'

export interface MergeDialogProps {
  isOpen: boolean
  narrative: CanonicalDetail
  /** Resolves to the error message; null if the merge succeeded. */
  onMerge: (other: CanonicalNarrative, scope: MergeScope) => Promise<string | null>
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

const SCOPES: { value: MergeScope; label: string }[] = [
  { value: 'all', label: 'all of your narratives with these variants' },
  { value: 'narrative', label: 'these two narratives only' },
]

function MergeForm({ narrative, onMerge, onClose }: Omit<MergeDialogProps, 'isOpen'>) {
  const [q, setQ] = useState('')
  const [text, setText] = useSearchText(q, setQ)
  const [chosen, setChosen] = useState<CanonicalNarrative | null>(null)
  const [scope, setScope] = useState<MergeScope>('all')
  const [problem, setProblem] = useState<string | null>(null)
  const choose = (other: CanonicalNarrative) => {
    setChosen(other)
    setProblem(null)
  }
  const submit = async () => {
    if (!chosen) return false
    const why = await onMerge(chosen, scope)
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
          <Choices q={q} narrative={narrative} chosen={chosen} onChoose={choose} />
        </div>
        {chosen && (
          <>
            <ScopeChoice scope={scope} onChange={setScope} />
            <Preview narrative={narrative} other={chosen} scope={scope} />
          </>
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

interface ChoicesProps {
  q: string
  narrative: CanonicalDetail
  chosen: CanonicalNarrative | null
  onChoose: (other: CanonicalNarrative) => void
}

/** The narratives that a search finds, but for the one that is merged. */
function Choices({ q, narrative, chosen, onChoose }: ChoicesProps) {
  const found = useCanonicalSearch(q.trim())
  return (
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
              onChange={() => onChoose(other)}
            >
              <span className={styles.other}>
                <Parts parts={other} /> <span className={styles.meta}>{reachText(other)}</span>
              </span>
            </Radio>
          ))
      }
    </LoadingPanel>
  )
}

/** The choice of the narratives that a merge applies to. */
function ScopeChoice({ scope, onChange }: { scope: MergeScope; onChange: (next: MergeScope) => void }) {
  return (
    <fieldset className={styles.scope}>
      <legend>The merge applies to</legend>
      {SCOPES.map(({ value, label }) => (
        <Radio
          key={value}
          name="merge-scope"
          label={label}
          checked={scope === value}
          onChange={() => onChange(value)}
        />
      ))}
    </fieldset>
  )
}

interface PreviewProps {
  narrative: CanonicalDetail
  other: CanonicalNarrative
  scope: MergeScope
}

/** The variants that a merge makes equal, and the other narratives that it changes. */
function Preview({ narrative, other, scope }: PreviewProps) {
  const { data, isError } = useMergePreview(narrative.id, other.id)
  const same = (
    <ul className={styles.same}>
      {sameAfterMerge(narrative, other).map(({ part, left, right }) => (
        <li key={part}>
          <bdi>“{left}”</bdi> and <bdi>“{right}”</bdi> count as the same
        </li>
      ))}
    </ul>
  )
  if (scope === 'narrative')
    return (
      <Callout icon={false} compact>
        {same}
        Other narratives and the graph keep these variants apart.
      </Callout>
    )
  const { items = [], total = 0 } = data ?? {}
  const more = (total ?? 0) - items.length
  return (
    <Callout icon={false} compact>
      {same}
      {isError && 'Unable to load the other narratives that change.'}
      {data && items.length === 0 && 'No other narrative changes.'}
      {items.length > 0 && (
        <>
          {formatAmount(items.length + more, 'other narrative changes', 'other narratives change')}:
          <ul className={styles.same}>
            {items.map(each => (
              <li key={each.id}>
                <bdi>{nameOf(each)}</bdi>
              </li>
            ))}
            {more > 0 && <li>and {formatCount(more)} more</li>}
          </ul>
        </>
      )}
    </Callout>
  )
}
