import { findFolded } from '@iodine/contracts'

/** A text with the occurrences of a term highlighted. */
export function Marked({ text, term }: { text: string; term: string }) {
  const pieces = []
  let at = 0
  for (const [start, end] of findFolded(text, term)) {
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>)
    at = end
  }
  return (
    <bdi>
      {pieces}
      {text.slice(at)}
    </bdi>
  )
}
