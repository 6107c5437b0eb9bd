import type { HeldBack, LetInReason, ReportPreview } from '@iodine/contracts'
import { Button, Card, CategoryTag, formatCount, HTMLSelect, SearchInput } from '@iodine/ui'
import { useMemo, useState } from 'react'
import { leftOutText, REASON_LABELS } from '../../model/reports'
import styles from './reports.module.css'

/** Number of values that are shown at first, and added by each click. */
const SHOWN = 50

export interface LeftOutProps {
  preview: Pick<ReportPreview, 'left_out' | 'held_back'>
  /** Decides on a value; undefined shows the decisions only. */
  onDecide?: ((decision: { iod_id: string; reason: LetInReason | null }) => void) | undefined
}

/** What a report leaves out and why, with the decisions on personal data. */
export function LeftOut({ preview: { left_out, held_back }, onDecide }: LeftOutProps) {
  const [text, setText] = useState('')
  const [shown, setShown] = useState(SHOWN)
  const found = useMemo(() => {
    const wanted = text.trim().toLowerCase()
    return held_back.filter(({ value }) => value.toLowerCase().includes(wanted))
  }, [held_back, text])
  return (
    <>
      <Card className={styles.card} role="region" aria-label="Left out">
        <h2 className={styles.heading}>Left out</h2>
        {left_out.length === 0 ? (
          <p className={styles.note}>Nothing is left out.</p>
        ) : (
          <ul className={styles.list}>
            {left_out.map(each => (
              <li key={`${each.kind} ${each.reason}`}>{leftOutText(each)}</li>
            ))}
          </ul>
        )}
      </Card>
      {held_back.length > 0 && (
        <Card className={styles.card} role="region" aria-label="Personal data">
          <h2 className={styles.heading}>Personal data</h2>
          <p className={styles.note}>
            {onDecide
              ? 'Names of accounts and people, IP addresses, and values with an email address, phone number or IBAN are counted, not named. Let one in only for one of the reasons.'
              : 'Values that look like personal data, and what the author decided.'}
          </p>
          {held_back.length > SHOWN && (
            <SearchInput value={text} onChange={setText} placeholder="Search values..." hotkey={false} />
          )}
          <ul className={styles.decisions} aria-label="Decisions on personal data">
            {found.slice(0, shown).map(each => (
              <li key={each.iod_id} className={styles.decision}>
                <span className={styles.value} dir="auto">
                  {each.value}
                </span>
                <CategoryTag category={each.category} />
                <Decision held={each} onDecide={onDecide} />
              </li>
            ))}
          </ul>
          {found.length > shown && (
            <Button
              text={`Show more (${formatCount(found.length - shown)} left)`}
              onClick={() => setShown(shown + SHOWN)}
            />
          )}
        </Card>
      )}
    </>
  )
}

const HELD_BACK = 'Held back'

interface DecisionProps extends Pick<LeftOutProps, 'onDecide'> {
  held: HeldBack
}

/** The decision on a value; the author can change it. */
function Decision({ held: { iod_id, value, let_in, reason }, onDecide }: DecisionProps) {
  const chosen = let_in ? reason : null
  if (!onDecide)
    return <span className={styles.chosen}>{chosen ? `Let in: ${REASON_LABELS[chosen]}` : HELD_BACK}</span>
  return (
    <HTMLSelect
      className={styles.chosen}
      fill
      aria-label={`Decision on ${value}`}
      value={chosen ?? ''}
      onChange={event =>
        onDecide({ iod_id, reason: (event.currentTarget.value || null) as LetInReason | null })
      }
    >
      <option value="">{HELD_BACK}</option>
      <optgroup label="Let in:">
        {Object.entries(REASON_LABELS).map(([id, label]) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </optgroup>
    </HTMLSelect>
  )
}
