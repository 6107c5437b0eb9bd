import { canonicalLink, type SightingEdge } from '@iodine/contracts'
import { likeness } from '@iodine/likeness'
import { differingBits, PHASH_BITS_MAX } from '../policies/media-keys.js'
import { REWORDED } from '../policies/signatures.js'
import { signatureIn, type VisibleSighting } from '../queries/candidates.js'

/** Maximum number of link edges between the sightings of a page: one post may link to each of the others. */
const LINKS_MAX = 1_000

/** Returns the likeness of two posts, 0 to 1, by text or pictures. */
const alike = (a: VisibleSighting, b: VisibleSighting): number => {
  const texts =
    a.doc.sketch.length > 0 && b.doc.sketch.length > 0
      ? a.doc.exact === b.doc.exact
        ? 1
        : likeness(signatureIn(a.doc), signatureIn(b.doc))
      : 0
  const pictures = a.doc.phashes.some(one =>
    b.doc.phashes.some(other => differingBits(one, other) <= PHASH_BITS_MAX),
  )
  return pictures ? 1 : texts
}

/**
 * Returns the edges between sightings: forwards and links that the later one states, else a `copy` edge from the most
 * similar earlier one, the earliest of equals. The fetch time is only an upper bound of a post's time, so no `copy`
 * edge leads to a sighting without a claimed time.
 * @param visible in order of time
 */
export const edgesOf = (visible: VisibleSighting[]): SightingEdge[] => {
  const edges: SightingEdge[] = []
  const bySelf = new Map(
    visible.flatMap(each => (each.doc.self === null ? [] : [[each.doc.self, each] as const])),
  )
  let links = 0
  for (const [n, to] of visible.entries()) {
    const edge = (from: VisibleSighting, how: SightingEdge['how']) => {
      const areClaimed = from.doc.posted_claimed && to.doc.posted_claimed
      const delta_s = areClaimed ? (to.at.getTime() - from.at.getTime()) / 1_000 : null
      edges.push({ from: from.id, to: to.id, how, delta_s })
    }
    const origin = bySelf.get(canonicalLink(to.doc.forward?.url) ?? '')
    if (origin && origin !== to) edge(origin, 'forward')
    let isStated = origin !== undefined
    for (const link of to.doc.links) {
      const from = bySelf.get(link)
      if (!from || from === to || from === origin || links === LINKS_MAX) continue
      edge(from, 'link')
      links++
      isStated = true
    }
    if (isStated || !to.doc.posted_claimed) continue
    let best: { from: VisibleSighting; likeness: number } | undefined
    for (const from of visible.slice(0, n)) {
      if (from.at.getTime() === to.at.getTime()) break
      const found = alike(from, to)
      if (found >= REWORDED && found > (best?.likeness ?? 0)) best = { from, likeness: found }
    }
    if (best) edge(best.from, 'copy')
  }
  return edges
}
