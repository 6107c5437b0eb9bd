import { entityMatcher } from './entities.js'
import { clusterIdOf, keyOf, type RuleKind } from './keys.js'
import { type Linked, link, type Matcher, unitsOf, type Why } from './link.js'
import { nameOf } from './names.js'
import { constraintsOf, type Rule } from './rules.js'
import { type Alike, type Embeddings, withAlike, withVectors } from './vectors.js'
import { verbMatcher } from './verb-matcher.js'
import { formOf, type VerbForm } from './verbs.js'

/** What a text says; each part a label as the text or the provider spells it. */
export interface Triplet {
  subject: string
  verb: string
  object: string
}

export interface CanonOptions {
  /** Vectors of labels, from a provider; without them labels are compared by their words. Unusable ones are ignored. */
  embeddings?: Embeddings | undefined
  /** What vectors joined before; it stays together without vectors too, unless rules or words say otherwise. */
  alike?: readonly Alike[] | undefined
  /** What people decided. All are satisfied, also those over labels that no triplet has. */
  rules?: readonly Rule[] | undefined
}

/** A label of a cluster. */
export interface ClusterMember {
  /** The label's key, as in the id of the graph's node. */
  key: string
  /** The label as the triplets spell it, most frequent first. */
  spellings: string[]
  /** How often the triplets say it. */
  count: number
  why: Why
  /** Verbs only: a triplet with it is read with subject and object exchanged, as "was attacked by" for "attacked". */
  turned: boolean
}

export interface Cluster {
  /** Hash of the kind and the smallest key, so that it stays while labels are added that sort behind it. */
  id: string
  /** The most frequent spelling; of a verb, of one that is not turned. */
  label: string
  count: number
  /** By key. */
  members: ClusterMember[]
}

/** The clusters of each kind, by their smallest key. */
export interface Assignment {
  entities: Cluster[]
  verbs: Cluster[]
}

export interface CanonicalNarrative {
  /** Labels of clusters. */
  subject: string
  verb: string
  object: string
  /** Indexes of the triplets that say it, ascending. */
  triplets: number[]
}

export interface Canonical {
  /** The clusters of subjects and objects, as lists of spellings. */
  entities: string[][]
  /** The clusters of verbs, as lists of spellings. */
  verbs: string[][]
  /** Most said first. */
  narratives: CanonicalNarrative[]
}

interface Label {
  count: number
  spellings: Map<string, number>
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const byCount = ([a, n]: [string, number], [b, m]: [string, number]) => m - n || compare(a, b)

/** Labels by key. The order of keys is theirs, not that of the triplets. */
const labelsOf = (
  triplets: readonly Triplet[],
  partsOf: (triplet: Triplet) => string[],
): Map<string, Label> => {
  const spellings = new Map<string, number>()
  for (const triplet of triplets)
    for (const spelling of partsOf(triplet)) spellings.set(spelling, (spellings.get(spelling) ?? 0) + 1)
  const labels = new Map<string, Label>()
  for (const [spelling, count] of [...spellings].sort(([a], [b]) => compare(a, b))) {
    const key = keyOf(spelling)
    const label = labels.get(key)
    if (!label) labels.set(key, { count, spellings: new Map([[spelling, count]]) })
    else {
      label.count += count
      label.spellings.set(spelling, count)
    }
  }
  return new Map([...labels].sort(([a], [b]) => compare(a, b)))
}

const clustersOf = (
  kind: RuleKind,
  linked: readonly Linked[],
  labels: ReadonlyMap<string, Label>,
  forms?: ReadonlyMap<string, VerbForm>,
): Cluster[] =>
  linked
    .map(({ units }) => {
      const isTurned = (key: string) => forms?.get(key)?.turned ?? false
      const reasons = units.flatMap(({ unit, why }) =>
        unit.keys.map((key, n) => ({ key, why: n > 0 ? 'rule' : why }) as const),
      )
      const said = (keys: readonly { key: string }[]) =>
        keys.flatMap(({ key }) => [...(labels.get(key)?.spellings ?? [])]).sort(byCount)[0]?.[0]
      const straight = reasons.filter(({ key }) => !isTurned(key))
      const members = reasons
        .map(({ key, why }) => ({
          key,
          spellings: [...(labels.get(key)?.spellings ?? [])].sort(byCount).map(([spelling]) => spelling),
          count: labels.get(key)?.count ?? 0,
          why,
          // A cluster of passives alone is named by one of them, and read as it stands.
          turned: straight.length > 0 && isTurned(key),
        }))
        .sort((a, b) => compare(a.key, b.key))
      return {
        id: clusterIdOf(kind, members[0]?.key ?? ''),
        label: said(straight.length > 0 ? straight : reasons) ?? '',
        count: members.reduce((sum, { count }) => sum + count, 0),
        members,
      }
    })
    .sort((a, b) => compare(a.members[0]?.key ?? '', b.members[0]?.key ?? ''))

/**
 * Clusters the labels of triplets: subjects and objects by their words (and vectors), verbs by their lemmas (and
 * vectors). The same triplets in any order give the same clusters.
 *
 * Method: leader linking over idf-weighted token overlap, as in Galárraga et al., Canonicalizing Open Knowledge
 * Bases (CIKM 2014), under the must-link and cannot-link constraints of Wagstaff et al. (ICML 2001).
 *
 * Throws RulesConflict if the rules contradict each other.
 */
export const assign = (
  triplets: readonly Triplet[],
  { embeddings, alike = [], rules = [] }: CanonOptions = {},
): Assignment => {
  const entities = labelsOf(triplets, ({ subject, object }) => [subject, object])
  const verbs = labelsOf(triplets, ({ verb }) => [verb])
  const solve = (
    kind: RuleKind,
    labels: ReadonlyMap<string, Label>,
    matcher: Matcher,
    groupOf: (key: string) => string,
  ) => {
    const constraints = constraintsOf(rules, kind)
    const counts = new Map([...labels].map(([key, { count }]) => [key, count]))
    const pairs = alike.filter(pair => pair.kind === kind)
    const known = pairs.length > 0 ? withAlike(matcher, pairs) : matcher
    const whole = embeddings ? withVectors(known, embeddings, counts, groupOf) : known
    return link(unitsOf(counts, constraints), constraints, whole)
  }
  const names = new Map(
    [...entities].map(([key, { count, spellings }]) => [key, { count, name: nameOf(key, spellings.keys()) }]),
  )
  const forms = new Map([...verbs.keys()].map(key => [key, formOf(key)]))
  const numbersOf = (key: string) => key.match(/\p{N}+/gu)?.join(' ') ?? ''
  const moodOf = (key: string) => `${forms.get(key)?.mood} ${forms.get(key)?.turned}`
  return {
    entities: clustersOf('entity', solve('entity', entities, entityMatcher(names), numbersOf), entities),
    verbs: clustersOf('verb', solve('verb', verbs, verbMatcher(forms), moodOf), verbs, forms),
  }
}

/** The narratives of triplets under an assignment of their labels: most said first, then by their labels. */
export const narrativesOf = (
  triplets: readonly Triplet[],
  { entities, verbs }: Assignment,
): CanonicalNarrative[] => {
  const entityOf = new Map(
    entities.flatMap(cluster => cluster.members.map(({ key }) => [key, cluster] as const)),
  )
  const verbOf = new Map(
    verbs.flatMap(cluster =>
      cluster.members.map(member => [member.key, { cluster, turned: member.turned }] as const),
    ),
  )
  const narratives = new Map<string, CanonicalNarrative>()
  for (const [index, triplet] of triplets.entries()) {
    const verb = verbOf.get(keyOf(triplet.verb))
    const first = entityOf.get(keyOf(triplet.subject))
    const second = entityOf.get(keyOf(triplet.object))
    if (!verb || !first || !second) continue
    const [subject, object] = verb.turned ? [second, first] : [first, second]
    const id = `${subject.id} ${verb.cluster.id} ${object.id}`
    const narrative = narratives.get(id)
    if (narrative) narrative.triplets.push(index)
    else
      narratives.set(id, {
        subject: subject.label,
        verb: verb.cluster.label,
        object: object.label,
        triplets: [index],
      })
  }
  const line = ({ subject, verb, object }: CanonicalNarrative) => `${subject}\n${verb}\n${object}`
  return [...narratives.values()].sort(
    (a, b) => b.triplets.length - a.triplets.length || compare(line(a), line(b)),
  )
}

/**
 * Gathers triplets into canonical narratives; see `assign`. Every spelling is in one cluster of its kind, every
 * triplet in one narrative.
 */
export const canonicalize = (triplets: readonly Triplet[], options: CanonOptions = {}): Canonical => {
  const assignment = assign(triplets, options)
  const spellingsOf = ({ members }: Cluster) => members.flatMap(({ spellings }) => spellings)
  return {
    entities: assignment.entities.map(spellingsOf),
    verbs: assignment.verbs.map(spellingsOf),
    narratives: narrativesOf(triplets, assignment),
  }
}
