import { foldText } from '@iodine/contracts'
import type { Technique } from '@iodine/exchange/disarm'

/** Returns the techniques whose id, name or tactic contains all words of a text, ignoring case. */
export function searchTechniques(techniques: readonly Technique[], text: string): readonly Technique[] {
  const words = foldText(text).split(/\s+/).filter(Boolean)
  if (words.length === 0) return techniques
  return techniques.filter(({ id, name, tactic }) => {
    const searched = foldText(`${id} ${name} ${tactic.name}`)
    return words.every(word => searched.includes(word))
  })
}
