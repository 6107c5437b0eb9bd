import { findFolded, type Iod } from '@iodine/contracts'
import { Button } from '@iodine/ui'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  use,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { FieldValue } from '../model/record-view'
import { type SearchedPiece, withHits } from '../model/search'
import { extendSelection, selectWord } from '../model/select-word'
import styles from './FieldText.module.css'
import { IodLink } from './IodLink'
import { SearchTerm, useRecordContext } from './record-context'
import { FIELD_ATTRIBUTE, POINTER_ATTRIBUTE, SLOT_ATTRIBUTE, VALUE_ATTRIBUTE } from './use-field-selection'

/** Shorter texts are never cut, in a column of any width. */
const LONG_TEXT = 200
const LONG_LINES = 8

const isLongText = (text: string) => text.length > LONG_TEXT || text.split('\n').length > LONG_LINES

export interface FieldTextProps {
  path: string
  label: string
  value: FieldValue
  /** Buttons and links beside the text. */
  children: ReactNode
}

/**
 * A value's text with its IODs and the searched term highlighted. While the focus is on a link in it or a button
 * beside it, arrow keys select words: see `selectWord`. A long text is cut, with a button that shows all of it; one
 * with the searched term is shown up to its first place at least.
 */
export function FieldText({ path, label, value: { text, iodValue, pointer }, children }: FieldTextProps) {
  const { known } = useRecordContext()
  const term = use(SearchTerm)
  const pieces = useMemo(() => withHits(known.split(text), findFolded(text, term)), [known, text, term])
  const [chosen, setChosen] = useState<boolean>()
  const isLong = isLongText(text)
  const firstHit = pieces.find(({ isHit }) => isHit)
  const isOpen = chosen ?? (firstHit !== undefined && isLongText(text.slice(0, firstHit.start)))
  const element = useRef<HTMLDivElement>(null)
  const isCut = useIsCut(element, isLong && !isOpen)
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, shiftKey, ctrlKey, altKey, metaKey, target } = event
    const direction = ({ ArrowRight: 'forward', ArrowLeft: 'backward' } as const)[key]
    // Portals in the value, such as dialogs, have keys of their own.
    const isWithin = event.currentTarget.contains(target as Node)
    if (!direction || !element.current || !isWithin || metaKey || altKey || (ctrlKey && !shiftKey)) return
    event.preventDefault()
    // What is selected must be seen.
    if (isCut) setChosen(true)
    if (shiftKey) extendSelection(element.current, direction, ctrlKey ? 'word' : 'character')
    else selectWord(element.current, direction)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the buttons and links within
    <div className={styles.value} {...{ [VALUE_ATTRIBUTE]: '' }} onKeyDown={onKeyDown}>
      <div className={styles.frame}>
        <div
          {...{
            [FIELD_ATTRIBUTE]: path,
            // A number is shown with separators, which the record does not have.
            ...(pointer !== null && text === iodValue && { [POINTER_ATTRIBUTE]: pointer }),
          }}
          ref={element}
          className={[styles.text, isLong && !isOpen && styles.short, isCut && styles.cut]
            .filter(Boolean)
            .join(' ')}
          dir="auto"
        >
          {pieces.map(piece => (
            <TextPiece key={piece.start} {...piece} />
          ))}
        </div>
        {(isCut || (isLong && chosen)) && (
          <Button
            className={styles.toggle}
            variant="minimal"
            size="small"
            intent="primary"
            text={isCut ? 'Show all' : 'Show less'}
            aria-label={`${isCut ? 'Show all' : 'Show less'} of ${label}`}
            aria-expanded={!isCut}
            onClick={() => {
              element.current?.scrollTo(0, 0)
              setChosen(isCut)
            }}
          />
        )}
      </div>
      {children}
      {/* After the buttons: Tab leads from them to the bubble of what they have selected. */}
      <span {...{ [SLOT_ATTRIBUTE]: '' }} />
    </div>
  )
}

function TextPiece({ text, iods, isHit }: SearchedPiece) {
  if (iods.length === 0 && !isHit) return text
  const looks = [iods.length > 1 && styles.several, isHit && styles.hit].filter(Boolean)
  return (
    <mark
      {...(looks.length > 0 && { className: looks.join(' ') })}
      {...(iods.length > 0 && { title: describeIods(iods) })}
    >
      {iods[0] ? <IodLink iod={iods[0]}>{text}</IodLink> : text}
    </mark>
  )
}

const describeIods = (iods: readonly Iod[]) =>
  iods.map(({ value, category }) => `IOD: ${value} (${category})`).join('\n')

/** Whether a bounded element is too small for its content, followed while its width changes. */
function useIsCut(element: RefObject<HTMLElement | null>, isBounded: boolean): boolean {
  const [isCut, setCut] = useState(false)
  useLayoutEffect(() => {
    const current = element.current
    if (!current || !isBounded) return setCut(false)
    const measure = () => setCut(current.scrollHeight > current.clientHeight + 1)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element, isBounded])
  return isCut
}
