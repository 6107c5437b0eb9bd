import type { SightingEdge } from '@iodine/contracts'
import { likeness } from '@iodine/likeness'
import { canonicalLink } from '../policies/canonical-link.js'
import { differingBits, LOOKS_BITS } from '../policies/media-keys.js'
import { REWORDED } from '../policies/signed.js'
import { type Placed, signatureIn } from '../queries/candidates.js'

/** Links between the sightings of a page; one post may link to each of the others. */
const LINKS_MAX = 1_000

/** How alike two posts are, 0 to 1, by text or pictures. */
const alike = (a: Placed, b: Placed): number => {
  const texts =
    a.doc.sketch.length > 0 && b.doc.sketch.length > 0
      ? a.doc.exact === b.doc.exact
        ? 1
        : likeness(signatureIn(a.doc), signatureIn(b.doc))
      : 0
  const pictures = a.doc.phashes.some(one =>
    b.doc.phashes.some(other => differingBits(one, other) <= LOOKS_BITS),
  )
  return pictures ? 1 : texts
}

/**
 * How sightings follow from each other: what the later one says itself (a forward, a link), else the earlier one that it is
 * most alike, the earliest of equals. The time of collecting is an upper bound: it may be before a claimed time, never after
 * one, so that no `copy` leads to a sighting without a claimed time.
 * @param placed in order of time
 */
export const edgesOf = (placed: Placed[]): SightingEdge[] => {
  const edges: SightingEdge[] = []
  const bySelf = new Map(
    placed.flatMap(each => (each.doc.self === null ? [] : [[each.doc.self, each] as const])),
  )
  let links = 0
  for (const [n, to] of placed.entries()) {
    const edge = (from: Placed, how: SightingEdge['how']) => {
      const areClaimed = from.doc.posted_claimed && to.doc.posted_claimed
      const delta_s = areClaimed ? (to.at.getTime() - from.at.getTime()) / 1_000 : null
      edges.push({ from: from.id, to: to.id, how, delta_s })
    }
    const origin = bySelf.get(canonicalLink(to.doc.forward?.url) ?? '')
    if (origin && origin !== to) edge(origin, 'forward')
    let said = origin !== undefined
    for (const link of to.doc.links) {
      const from = bySelf.get(link)
      if (!from || from === to || from === origin || links === LINKS_MAX) continue
      edge(from, 'link')
      links++
      said = true
    }
    if (said || !to.doc.posted_claimed) continue
    let best: { from: Placed; likeness: number } | undefined
    for (const from of placed.slice(0, n)) {
      if (from.at.getTime() === to.at.getTime()) break
      const found = alike(from, to)
      if (found >= REWORDED && found > (best?.likeness ?? 0)) best = { from, likeness: found }
    }
    if (best) edge(best.from, 'copy')
  }
  return edges
}
