import { foldLabel, type GraphLink, type Narrative } from '@iodine/contracts'

/** A narrative that says a link. */
export interface Saying {
  id: string
  src: string | null
  /** The sentence that names both ends, else the one that names most of them, else the first. */
  sentence: string
}

/** The narratives of which a triplet makes up this link, in the order given. */
export function sayingsOf(narratives: readonly Narrative[], link: GraphLink): Saying[] {
  const [from, to] = [link.source, link.target].map(id => id.slice(id.indexOf(':') + 1)) as [string, string]
  const startsAtVerb = link.type === 'verb_to_object'
  return narratives.flatMap(({ id, src, text, triplets }) => {
    const said = triplets.some(({ subject, verb, object }) =>
      startsAtVerb
        ? foldLabel(verb) === from && foldLabel(object) === to
        : foldLabel(subject) === from && foldLabel(verb) === to,
    )
    return said ? [{ id, src, sentence: sentenceWith(text, [from, to]) }] : []
  })
}

function sentenceWith(text: string, labels: readonly string[]): string {
  let best = ''
  let most = -1
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    const folded = foldLabel(segment)
    const named = labels.filter(label => folded.includes(label)).length
    if (folded === '' || named <= most) continue
    best = segment.trim()
    most = named
    if (named === labels.length) break
  }
  return best
}
