import type { TextRange } from '@iodine/contracts'
import { useRef } from 'react'
import { cutPieces, excerptStart, isNearStart, type Piece } from '../model/matches'
import { useHiddenMark } from './use-hidden-mark'

export interface MarkedTextProps {
  text: string
  matches: readonly TextRange[]
}

/** A text with its matches highlighted. If the first match would be out of view, an excerpt around it. */
export function MarkedText({ text, matches }: MarkedTextProps) {
  const content = useRef<HTMLSpanElement>(null)
  const isHidden = useHiddenMark(content)
  if (matches.length === 0) return text
  return (
    <span ref={content}>
      {isHidden || !isNearStart(matches) ? (
        <Excerpt text={text} matches={matches} />
      ) : (
        <Pieces pieces={cutPieces(text, matches)} />
      )}
    </span>
  )
}

/** An excerpt of a text around its first match. */
export function Excerpt({ text, matches }: MarkedTextProps) {
  return <Pieces pieces={cutPieces(text, matches, excerptStart(text, matches))} />
}

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, start, isMatch }) => (isMatch ? <mark key={start}>{text}</mark> : text))
}
