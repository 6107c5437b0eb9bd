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
import type { FieldValue } from '../model/record-fields'
import { type SearchedPiece, withHits } from '../model/search'
import { extendSelection, selectWord } from '../model/select-word'
import styles from './FieldText.module.css'
import { IodLink } from './IodLink'
import { useRecordContext, WantedRecords } from './record-context'
import { FIELD_ATTRIBUTE, POINTER_ATTRIBUTE, SLOT_ATTRIBUTE, VALUE_ATTRIBUTE } from './use-field-selection'

/** Texts up to this length are never cut, in a column of any width. */
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
 * A value's text, with its IODs and the searched term highlighted. While a link in it or a button beside it has the
 * focus, arrow keys select words: see `selectWord`. A long text is cut, with a button that shows all of it. If its
 * first hit would be cut off, the text is shown in full.
 */
export function FieldText({ path, label, value: { text, iodValue, pointer }, children }: FieldTextProps) {
  const { known } = useRecordContext()
  const { term } = use(WantedRecords)
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
    // Portals in the value, such as dialogs, handle their keys themselves.
    const isWithin = event.currentTarget.contains(target as Node)
    if (!direction || !element.current || !isWithin || metaKey || altKey || (ctrlKey && !shiftKey)) return
    event.preventDefault()
    // Shows the whole text, so that the selection is visible.
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
            // A number is shown with separators, which the record does not contain.
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
      {/* After the buttons in the Tab order: Tab leads from them to the bubble of their selection. */}
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

/** Returns whether a bounded element is too small for its content; updates when its width changes. */
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
