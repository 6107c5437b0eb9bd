import { REPORT_TEXT_MAX } from '@iodine/contracts'
import { DialogForm } from '@iodine/ui/overlays'
import { type ReactNode, useState } from 'react'
import { lengthOf } from '../../model/reports'
import { LongText } from './fields'
import styles from './reports.module.css'

export interface ReasonFormProps {
  label: string
  help?: string
  submitLabel: string
  max?: number
  onSubmit: (reason: string) => Promise<boolean>
  onClose: () => void
  /** Shown above the field. */
  children?: ReactNode
}

/** A form with one required text, as the content of a dialog. */
export function ReasonForm({
  label,
  help,
  submitLabel,
  max = REPORT_TEXT_MAX.reason,
  onSubmit,
  onClose,
  children,
}: ReasonFormProps) {
  const [reason, setReason] = useState('')
  return (
    <DialogForm
      submitLabel={submitLabel}
      canSubmit={reason.trim() !== '' && lengthOf(reason) <= max}
      onSubmit={() => onSubmit(reason)}
      onClose={onClose}
    >
      {children && <div className={styles.intro}>{children}</div>}
      <LongText label={label} {...(help && { help })} value={reason} max={max} onChange={setReason} />
    </DialogForm>
  )
}
