import { Button } from '@iodine/ui'
import { useState } from 'react'
import styles from './LongText.module.css'

/** Shorter texts are shown as a whole. */
const LONG_TEXT = 700
const LONG_LINES = 10

export interface LongTextProps {
  text: string
  /** What it is: 'the value'. */
  label: string
}

/** A text of any length: the start of a long one, with a button that shows all of it. */
export function LongText({ text, label }: LongTextProps) {
  const [isOpen, setOpen] = useState(false)
  const isLong = text.length > LONG_TEXT || text.split('\n', LONG_LINES + 1).length > LONG_LINES
  return (
    <>
      <p className={`${styles.text} ${isLong && !isOpen ? styles.cut : ''}`} dir="auto">
        {text}
      </p>
      {isLong && (
        <Button
          variant="minimal"
          size="small"
          intent="primary"
          text={isOpen ? 'Show less' : 'Show all'}
          aria-label={`${isOpen ? 'Show less' : 'Show all'} of ${label}`}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      )}
    </>
  )
}
