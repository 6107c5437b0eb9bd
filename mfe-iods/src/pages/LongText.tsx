import { Button } from '@iodine/ui'
import { useState } from 'react'
import styles from './LongText.module.css'

/** Texts up to this length are shown in full. */
const LONG_TEXT = 700
const LONG_LINES = 10

export interface LongTextProps {
  text: string
  /** Name of the text in the button's label: 'the value'. */
  label: string
}

/** A text of any length. A long one is cut, with a button that shows all of it. */
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
