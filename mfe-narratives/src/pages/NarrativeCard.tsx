import type { Iod, Narrative, TextPlace, Triplet } from '@iodine/contracts'
import { Button, Card, ShortId, SourceLink } from '@iodine/ui'
import { TrashIcon } from '@iodine/ui/icons'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { type MergedTriplet, mergeEqual, sentenceOf } from '../model/triplets'
import { useCitations } from '../queries/citations'
import styles from './NarrativeCard.module.css'
import palette from './NarrativesPage.module.css'
import { TripletIod } from './TripletIod'

const ID_PREFIX = 8

export interface NarrativeCardProps {
  narrative: Narrative
  /** A triplet's existing IOD, if any. */
  iodOf: (triplet: Triplet) => Iod | undefined
  deleting: boolean
  /** @param height of the card in pixels */
  onDelete: (height: number) => void
  onConvert: (triplet: Triplet) => void
  /** A sentence to highlight. The text is then shown in full, without scrolling inside the card. */
  sentence?: TextPlace | null
}

/** An analyzed text with its triplets. */
export const NarrativeCard = memo(
  function NarrativeCard(props: NarrativeCardProps) {
    const { narrative, iodOf, deleting, onDelete, onConvert, sentence } = props
    const { id, text, src, triplets } = narrative
    const prefix = id.slice(0, ID_PREFIX)
    const textClass = sentence === undefined ? styles.text : `${styles.text} ${styles.whole}`
    const card = useRef<HTMLDivElement>(null)
    const lit = useLitSentence(id)
    const place = lit.place ?? sentence
    return (
      <Card ref={card} className={styles.card} role="article" aria-label={`Narrative ${prefix}`}>
        <header className={styles.header}>
          <span className={styles.id}>
            <ShortId id={id} of="narrative" />
          </span>
          <span className={styles.meta}>Source: {src ? <SourceLink source={src} /> : 'none'}</span>
          <Button
            className={styles.delete}
            variant="minimal"
            size="small"
            icon={<TrashIcon />}
            aria-label={`Delete narrative ${prefix}`}
            title="Delete"
            loading={deleting}
            onClick={() => onDelete(card.current?.offsetHeight ?? 0)}
          />
        </header>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it, too */}
        <section className={textClass} tabIndex={0} aria-label={`Text of narrative ${prefix}`}>
          {place ? <Marked text={text} place={place} scrollsPage={place === sentence} /> : text}
        </section>
        <div className={styles.said}>
          <h3 className={styles.count}>
            {triplets.length} {triplets.length === 1 ? 'triplet' : 'triplets'}
          </h3>
          <p className={styles.unsaid} role="status">
            {lit.isMissing && 'No sentence found for this triplet'}
          </p>
        </div>
        <ul className={styles.triplets} aria-label="Triplets">
          {mergeEqual(triplets).map(({ triplet, times, ids }) => (
            <TripletRow
              key={triplet.id}
              triplet={triplet}
              times={times}
              iod={iodOf(triplet)}
              onLight={isLit => lit.light(isLit ? ids : null)}
              onConvert={() => onConvert(triplet)}
            />
          ))}
        </ul>
      </Card>
    )
  },
  (before, after) =>
    before.narrative === after.narrative &&
    before.iodOf === after.iodOf &&
    before.deleting === after.deleting &&
    before.sentence === after.sentence,
)

/**
 * Returns the sentence of the triplet under the pointer, or whose button has the focus. The citations are requested
 * when the first triplet is pointed at.
 */
function useLitSentence(narrativeId: string) {
  const [ids, light] = useState<readonly number[] | null>(null)
  const [isWanted, setWanted] = useState(false)
  if (ids !== null && !isWanted) setWanted(true)
  const citations = useCitations(narrativeId, isWanted)
  const place = useMemo(() => (ids && citations ? sentenceOf(ids, citations) : null), [ids, citations])
  return { place, isMissing: ids !== null && citations !== undefined && place === null, light }
}

interface MarkedProps {
  text: string
  place: TextPlace
  /** Whether the page scrolls to the sentence; otherwise only the text scrolls. */
  scrollsPage: boolean
}

/** A text with a highlighted part, which is scrolled into view. */
function Marked({ text, place: { start, end }, scrollsPage }: MarkedProps) {
  const mark = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is another sentence to show
  useEffect(() => {
    const marked = mark.current
    if (!marked) return
    if (scrollsPage) marked.scrollIntoView({ block: 'center' })
    else scrollInParent(marked)
  }, [start, end])
  return (
    <>
      {text.slice(0, start)}
      <mark ref={mark}>{text.slice(start, end)}</mark>
      {text.slice(end)}
    </>
  )
}

/** Scrolls an element into view inside its parent, without scrolling the page. */
function scrollInParent(element: HTMLElement): void {
  const box = element.parentElement
  if (!box) return
  const [inner, outer] = [element.getBoundingClientRect(), box.getBoundingClientRect()]
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return
  box.scrollTop += inner.top - outer.top - Math.max(0, (outer.height - inner.height) / 2)
}

interface TripletRowProps extends Omit<MergedTriplet, 'ids'> {
  iod?: Iod
  /** Called when the pointer or the focus enters or leaves the row. */
  onLight: (isLit: boolean) => void
  onConvert: () => void
}

function TripletRow({ triplet, times, iod, onLight, onConvert }: TripletRowProps) {
  return (
    <li
      className={styles.triplet}
      onPointerEnter={() => onLight(true)}
      onPointerLeave={() => onLight(false)}
      onFocus={() => onLight(true)}
      onBlur={() => onLight(false)}
    >
      <span className={styles.parts}>
        <span className={palette.subject} title="Subject">
          {triplet.subject}
        </span>{' '}
        <span className={palette.verb} title="Verb">
          {triplet.verb}
        </span>{' '}
        <span className={palette.object} title="Object">
          {triplet.object}
        </span>
        {times > 1 && (
          <span className={styles.times} title={`${times} times in this text`}>
            {' '}
            ×{times}
          </span>
        )}
      </span>
      <TripletIod className={styles.mark} triplet={triplet} iod={iod} onConvert={onConvert} />
    </li>
  )
}
