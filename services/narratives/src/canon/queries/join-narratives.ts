import { CANON_PARTS, type CanonPart } from '@iodine/contracts'
import { type CanonMap, groupOf } from './canon-map.js'
import {
  byReach,
  type ClusterView,
  countMentions,
  isPassive,
  leadOf,
  type NarrativeView,
  narrativeIdOf,
} from './narrative-view.js'

/** Returns the name of a narrative in rules: the keys of its displayed labels, which contain no line breaks. */
export const narrativeKeyOf = (narrative: Record<CanonPart, ClusterView>): string =>
  CANON_PARTS.map(part => leadOf(narrative[part])).join('\n')

const idOf = (map: CanonMap, narrativeKey: string): string => {
  const [subject = '', verb = '', object = ''] = narrativeKey.split('\n')
  const [first, second] = map.verb.get(verb)?.turned ? [object, subject] : [subject, object]
  return narrativeIdOf(
    groupOf(map, 'entity', first).id,
    groupOf(map, 'verb', verb).id,
    groupOf(map, 'entity', second).id,
  )
}

/** Returns a part with the variants of all clusters; the first one names it. @param turned clusters of passive verbs */
const joinClusters = (
  clusters: readonly ClusterView[],
  turned: ReadonlySet<ClusterView> = new Set(),
): ClusterView => {
  const [lead, ...others] = new Set(clusters) as Iterable<ClusterView> as [ClusterView, ...ClusterView[]]
  if (others.length === 0) return lead
  const added = others.flatMap(cluster =>
    cluster.labels.map(each => ({
      ...each,
      why: 'rule' as const,
      turned: each.turned || turned.has(cluster),
    })),
  )
  const labels = [...lead.labels, ...added]
  return {
    ...lead,
    labels,
    keys: labels.map(({ key }) => key).join('\n'),
    joined: others.map(({ id }) => id),
  }
}

/** Returns one narrative with the mentions of all. Passive narratives are turned if another one is active. */
const join = (narratives: readonly NarrativeView[]): NarrativeView => {
  const isMixed = narratives.some(({ verb }) => !isPassive(verb))
  const isTurned = ({ verb }: NarrativeView) => isMixed && isPassive(verb)
  const ordered = narratives.toSorted((a, b) => Number(isTurned(a)) - Number(isTurned(b)) || byReach(a, b))
  const verbs = ordered.map(({ verb }) => verb)
  const joined = {
    ...(ordered[0] as NarrativeView),
    subject: joinClusters(ordered.map(each => (isTurned(each) ? each.object : each.subject))),
    verb: joinClusters(verbs, new Set(ordered.filter(isTurned).map(({ verb }) => verb))),
    object: joinClusters(ordered.map(each => (isTurned(each) ? each.subject : each.object))),
    mentions: ordered
      .flatMap(({ mentions }) => mentions)
      .sort(
        ({ text: a }, { text: b }) =>
          b.created_at.getTime() - a.created_at.getTime() || Buffer.compare(b._id.id, a._id.id),
      ),
  }
  countMentions(joined)
  return joined
}

/**
 * Joins narratives that the user merged without merging their variants in other narratives. The id of each leads to the
 * joined narrative.
 * @param pairs narratives as `narrativeKeyOf` names them
 */
export const joinNarratives = (
  byId: Map<string, NarrativeView>,
  map: CanonMap,
  pairs: readonly { a: string; b: string }[],
): void => {
  const groups = new Map<string, Set<string>>()
  const groupWith = (id: string): Set<string> => {
    const group = groups.get(id) ?? new Set([id])
    groups.set(id, group)
    return group
  }
  for (const { a, b } of pairs) {
    const [one, two] = [groupWith(idOf(map, a)), groupWith(idOf(map, b))]
    // The smaller group joins the larger one: thousands of merges stay fast.
    const [small, large] = one.size < two.size ? [one, two] : [two, one]
    for (const id of small) groups.set(id, large.add(id))
  }
  for (const ids of new Set(groups.values())) {
    const found = [...ids].flatMap(id => byId.get(id) ?? [])
    if (found.length === 0) continue
    const joined = found.length === 1 ? (found[0] as NarrativeView) : join(found)
    for (const id of ids) byId.set(id, joined)
  }
}
