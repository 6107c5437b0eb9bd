import type { CanonicalDetail, CanonPart } from '@iodine/contracts'
import { Callout, Checkbox, formatCount, toggled, useRetained } from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import styles from './SplitDialog.module.css'

export interface SplitDialogProps {
  /** The part to split; null closes the dialog. */
  part: CanonPart | null
  narrative: CanonicalDetail
  /** Resolves to the error message; null if the split succeeded. */
  onSplit: (part: CanonPart, members: string[], together: boolean) => Promise<string | null>
  onClose: () => void
}

/** The dialog that splits variants of a part off from the others. */
export default function SplitDialog({ part, narrative, onSplit, onClose }: SplitDialogProps) {
  const shown = useRetained(part)
  return (
    <Dialog isOpen={part !== null} onClose={onClose} title={`Split the ${shown ?? 'part'}`}>
      {shown && (
        <SplitForm key={shown} part={shown} narrative={narrative} onSplit={onSplit} onClose={onClose} />
      )}
    </Dialog>
  )
}

function SplitForm({ part, narrative, onSplit, onClose }: SplitDialogProps & { part: CanonPart }) {
  const members = narrative.members[part]
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [together, setTogether] = useState(true)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = async () => {
    const why = await onSplit(part, [...chosen], together)
    setProblem(why)
    return why === null
  }
  return (
    <DialogForm
      submitLabel="Split off"
      canSubmit={chosen.length > 0 && chosen.length < members.length}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={styles.form}>
        <p>Select the variants that mean something else. The split applies to all of your narratives.</p>
        <fieldset className={styles.members}>
          <legend className={styles.legend}>Variants</legend>
          {members.map(({ key, label, times }) => (
            <Checkbox
              key={key}
              checked={chosen.includes(key)}
              onChange={() => {
                setChosen(toggled(chosen, key))
                setProblem(null)
              }}
            >
              <bdi>{label}</bdi>{' '}
              <span className={styles.times}>
                {times > 0 ? `×${formatCount(times)}` : 'only in other narratives'}
              </span>
            </Checkbox>
          ))}
        </fieldset>
        <Checkbox
          checked={together}
          disabled={chosen.length < 2}
          label="Keep the selected variants together"
          onChange={event => setTogether(event.currentTarget.checked)}
        />
        {problem && (
          <Callout intent="warning" role="alert" compact>
            {problem}
          </Callout>
        )}
      </div>
    </DialogForm>
  )
}
