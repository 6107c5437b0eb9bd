import type { CanonicalDetail, CanonPart } from '@iodine/contracts'
import { Callout, Checkbox, formatCount, toggled, useRetained } from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import styles from './SplitDialog.module.css'

export interface SplitDialogProps {
  /** The part to split; null closes the dialog. */
  part: CanonPart | null
  narrative: CanonicalDetail
  /** Resolves to why it was refused; null once it is done. */
  onSplit: (part: CanonPart, members: string[], together: boolean) => Promise<string | null>
  onClose: () => void
}

/** Chooses members of a part that are something else than the others. */
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
  const [refused, setRefused] = useState<string | null>(null)
  const submit = async () => {
    const why = await onSplit(part, [...chosen], together)
    setRefused(why)
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
        <p>Choose those that mean something else. This holds in all of your narratives.</p>
        <fieldset className={styles.members}>
          <legend className={styles.legend}>Spellings</legend>
          {members.map(({ key, label, times }) => (
            <Checkbox
              key={key}
              checked={chosen.includes(key)}
              onChange={() => {
                setChosen(toggled(chosen, key))
                setRefused(null)
              }}
            >
              <bdi>{label}</bdi> <span className={styles.times}>×{formatCount(times)}</span>
            </Checkbox>
          ))}
        </fieldset>
        <Checkbox
          checked={together}
          disabled={chosen.length < 2}
          label="Those that I split off belong together"
          onChange={event => setTogether(event.currentTarget.checked)}
        />
        {refused && (
          <Callout intent="warning" role="alert" compact>
            {refused}
          </Callout>
        )}
      </div>
    </DialogForm>
  )
}
