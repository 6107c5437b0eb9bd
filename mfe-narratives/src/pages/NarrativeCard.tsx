import type { Iod, Narrative, TextPlace, Triplet } from '@iodine/contracts'
import { SectionLink } from '@iodine/mfe-kit'
import { Button, Card, SourceLink, Tag } from '@iodine/ui'
import { AddIcon, TickIcon, TrashIcon } from '@iodine/ui/icons'
import { memo, useEffect, useRef } from 'react'
import { mergeEqual, tripletValue } from '../model/triplets'
import styles from './NarrativeCard.module.css'
import palette from './NarrativesPage.module.css'

const ID_PREFIX = 8

export interface NarrativeCardProps {
  narrative: Narrative
  /** A triplet's existing IOD, if any. */
  iodOf: (triplet: Triplet) => Iod | undefined
  deleting: boolean
  /** @param height of the card in pixels */
  onDelete: (height: number) => void
  onConvert: (triplet: Triplet) => void
  /** A sentence to show: it is marked, and all of the text is there without scrolling in it. */
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
    return (
      <Card ref={card} className={styles.card} role="article" aria-label={`Narrative ${prefix}`}>
        <header className={styles.header}>
          <code className={styles.id}>{prefix}</code>
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
          {sentence ? <Marked text={text} place={sentence} /> : text}
        </section>
        <h3 className={styles.count}>
          {triplets.length} {triplets.length === 1 ? 'triplet' : 'triplets'}
        </h3>
        <ul className={styles.triplets} aria-label="Triplets">
          {mergeEqual(triplets).map(({ triplet, times }) => (
            <TripletRow
              key={triplet.id}
              triplet={triplet}
              times={times}
              iod={iodOf(triplet)}
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

/** A text with a part of it marked and in view. */
function Marked({ text, place: { start, end } }: { text: string; place: TextPlace }) {
  const mark = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is another sentence to show
  useEffect(() => mark.current?.scrollIntoView({ block: 'center' }), [start, end])
  return (
    <>
      {text.slice(0, start)}
      <mark ref={mark}>{text.slice(start, end)}</mark>
      {text.slice(end)}
    </>
  )
}

interface TripletRowProps {
  triplet: Triplet
  /** How often the text has it. */
  times: number
  iod?: Iod
  onConvert: () => void
}

function TripletRow({ triplet, times, iod, onConvert }: TripletRowProps) {
  const value = tripletValue(triplet)
  return (
    <li className={styles.triplet}>
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
      {iod ? (
        <SectionLink className={styles.mark} to={`iods/${iod.id}`}>
          <Tag
            minimal
            interactive
            tabIndex={-1}
            intent="success"
            icon={<TickIcon />}
            title={`Already an IOD: ${iod.value}`}
          >
            IOD
          </Tag>
        </SectionLink>
      ) : (
        <Button
          className={styles.mark}
          variant="outlined"
          size="small"
          icon={<AddIcon />}
          text="IOD"
          aria-label={`Convert to IOD: ${value}`}
          onClick={onConvert}
        />
      )}
    </li>
  )
}
