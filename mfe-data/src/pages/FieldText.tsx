import type { Iod } from '@iodine/contracts'
import { type KeyboardEvent, useMemo } from 'react'
import type { FieldValue } from '../model/record-view'
import { selectWord } from '../model/select-word'
import styles from './FieldText.module.css'
import { useRecordContext } from './record-context'
import { FIELD_ATTRIBUTE, SLOT_ATTRIBUTE } from './use-field-selection'

export interface FieldTextProps {
  path: string
  label: string
  value: FieldValue
}

/**
 * A value's text with its IODs highlighted. Texts of several words are focusable, so that words can be
 * selected by keyboard: see `selectWord`.
 */
export function FieldText({ path, label, value: { text } }: FieldTextProps) {
  const { known } = useRecordContext()
  const pieces = useMemo(() => known.split(text), [known, text])
  const content = pieces.map(piece =>
    piece.iods.length === 0 ? (
      piece.text
    ) : (
      <mark
        key={piece.start}
        className={piece.iods.length > 1 ? styles.several : undefined}
        title={describeIods(piece.iods)}
      >
        {piece.text}
      </mark>
    ),
  )
  const attributes = { [FIELD_ATTRIBUTE]: path, className: styles.text, dir: 'auto' } as const
  return (
    <div className={styles.frame}>
      {/\s/.test(text.trim()) ? (
        // biome-ignore lint/a11y/useSemanticElements: an <input> shows no highlights
        <div
          {...attributes}
          role="textbox"
          aria-readonly
          aria-multiline
          aria-label={label}
          aria-description="Arrow keys select a word, Shift and arrow keys change the selection."
          tabIndex={0}
          onKeyDown={onKeyDown}
        >
          {content}
        </div>
      ) : (
        <div {...attributes}>{content}</div>
      )}
      <span {...{ [SLOT_ATTRIBUTE]: '' }} />
    </div>
  )
}

const describeIods = (iods: readonly Iod[]) =>
  iods.map(({ value, category }) => `IOD: ${value} (${category})`).join('\n')

function onKeyDown(event: KeyboardEvent<HTMLElement>) {
  const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey
  if (!isPlain || (event.key !== 'ArrowRight' && event.key !== 'ArrowLeft')) return
  event.preventDefault()
  selectWord(event.currentTarget, event.key === 'ArrowRight' ? 'forward' : 'backward')
}
