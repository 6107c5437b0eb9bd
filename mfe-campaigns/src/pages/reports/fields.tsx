import { Card, FormGroup, formatCount, TextArea } from '@iodine/ui'
import { type ReactNode, useId } from 'react'
import { lengthOf } from '../../model/reports'
import styles from './reports.module.css'

export interface LongTextProps {
  label: string
  help?: string
  value: string
  max: number
  rows?: number
  problem?: string | undefined
  onChange: (value: string) => void
}

/** A text of several lines, with the number of its characters. */
export function LongText({ label, help, value, max, rows = 4, problem, onChange }: LongTextProps) {
  const id = useId()
  const length = lengthOf(value)
  const isWrong = problem !== undefined || length > max
  return (
    <FormGroup
      className={styles.field}
      label={label}
      labelFor={id}
      subLabel={help}
      intent={isWrong ? 'danger' : 'none'}
      helperText={
        <span id={`${id}-help`}>
          {problem && `${problem}. `}
          {formatCount(length)} of {formatCount(max)} characters
        </span>
      }
    >
      <TextArea
        id={id}
        fill
        rows={rows}
        dir="auto"
        value={value}
        intent={isWrong ? 'danger' : 'none'}
        aria-invalid={isWrong || undefined}
        aria-describedby={`${id}-help`}
        onChange={event => onChange(event.target.value)}
      />
    </FormGroup>
  )
}

export interface EditorSectionProps {
  title: string
  help?: string
  children: ReactNode
}

/** A titled part of the editor. */
export function EditorSection({ title, help, children }: EditorSectionProps) {
  const id = useId()
  return (
    <Card className={styles.card} role="region" aria-labelledby={id}>
      <h2 className={styles.heading} id={id}>
        {title}
      </h2>
      {help && <p className={styles.note}>{help}</p>}
      {children}
    </Card>
  )
}

/** Returns a list with one item replaced; undefined removes it. */
export const replaced = <T,>(items: readonly T[], at: number, item?: T): T[] =>
  items.flatMap((each, index) => (index === at ? (item ?? []) : each)) as T[]
