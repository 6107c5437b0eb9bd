import { Button, formatCount, LoadingPanel } from '@iodine/ui'
import { useEffect, useRef, useState } from 'react'
import { withData } from '../with-data'
import { EraseButton } from './CaptureActions'
import type { QuoteLocation } from './check-seal'
import styles from './evidence.module.css'
import { Pictures } from './Pictures'
import { useCapture, useQuotedText } from './queries'

/** Initial number of characters on each side of a quote: a long page renders slowly. */
const CONTEXT_CHARACTERS = 20_000

/** The text of a capture with the quote marked and scrolled into view. */
export function CaptureText({ captureId, quote }: { captureId: string; quote: QuoteLocation }) {
  const capture = useCapture(captureId)
  const text = useQuotedText(capture.data, quote)
  const failed = capture.error ? capture : text
  return (
    <section className={styles.opened} aria-label="Text of the capture">
      {quote.role === 'record' && (
        <p className={styles.meta}>
          Field <code>{quote.pointer}</code> of the captured record
        </p>
      )}
      <LoadingPanel query={withData(failed, text.data)} errorTitle="Unable to load the text">
        {shown => <MarkedText text={shown} quote={quote} />}
      </LoadingPanel>
      {capture.data && (
        <div className={styles.actions}>
          <Pictures capture={capture.data} />
          {capture.data.own && <EraseButton captureId={captureId} text="Delete capture" />}
        </div>
      )}
    </section>
  )
}

function MarkedText({ text, quote: { start, end, exact } }: { text: string; quote: QuoteLocation }) {
  const frame = useRef<HTMLElement>(null)
  const mark = useRef<HTMLElement>(null)
  const [isWhole, setWhole] = useState(false)
  const [from, to] = isWhole
    ? [0, text.length]
    : [Math.max(0, start - CONTEXT_CHARACTERS), Math.min(text.length, end + CONTEXT_CHARACTERS)]
  const left = text.length - (to - from)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is drawn moves the mark
  useEffect(() => {
    const [box, marked] = [frame.current, mark.current]
    // Scrolls only this frame, not the drawer.
    if (box && marked) box.scrollTop = marked.offsetTop - box.clientHeight / 3
  }, [isWhole])
  if (text.slice(start, end) !== exact)
    return <p role="alert">The capture does not contain the quote at this position.</p>
  return (
    <>
      <section
        ref={frame}
        className={styles.page}
        dir="auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it only when it has the focus
        tabIndex={0}
        aria-label="Captured text"
      >
        {text.slice(from, start)}
        <mark ref={mark} className={styles.exact}>
          {exact}
        </mark>
        {text.slice(end, to)}
      </section>
      {left > 0 && (
        <Button
          variant="minimal"
          size="small"
          intent="primary"
          text={`Show ${formatCount(left)} more characters`}
          onClick={() => setWhole(true)}
        />
      )}
    </>
  )
}
