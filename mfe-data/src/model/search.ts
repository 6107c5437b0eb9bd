import type { TextRange } from '@iodine/contracts'
import type { Piece } from '@iodine/known-iods'

export type SearchedPiece = Piece & { isHit: boolean }

/** Splits pieces of a text at the starts and ends of hits. */
export function withHits(pieces: readonly Piece[], hits: readonly TextRange[]): SearchedPiece[] {
  if (hits.length === 0) return pieces.map(piece => ({ ...piece, isHit: false }))
  const edges = hits.flat()
  return pieces.flatMap(({ text, start, iods }) => {
    const end = start + text.length
    const cuts = [start, ...edges.filter(edge => edge > start && edge < end), end]
    return cuts.slice(1).map((to, n) => {
      const from = cuts[n] as number
      const isHit = hits.some(([first, last]) => first <= from && to <= last)
      return { text: text.slice(from - start, to - start), start: from, iods, isHit }
    })
  })
}
