import { compareText } from '@iodine/contracts'
import { entityMatcher } from './entities.js'
import { clusterIdOf, keyOf, type RuleKind } from './keys.js'
import { type Linked, link, type Matcher, unitsOf, type Why } from './link.js'
import { nameOf } from './names.js'
import { constraintsOf, type Rule } from './rules.js'
import { type Alike, type Embeddings, withAlike, withVectors } from './vectors.js'
import { verbMatcher } from './verb-matcher.js'
import { formOf, type VerbForm } from './verbs.js'

/** Subject, verb and object of a statement, each a label as spelled in the text or by the provider. */
export interface Triplet {
  subject: string
  verb: string
  object: string
}

export interface CanonOptions {
  /** Vectors of labels, from a provider; without them only words are compared. Unusable vectors are ignored. */
  embeddings?: Embeddings | undefined
  /** Pairs that vectors joined in an earlier run. They stay joined, unless a rule forbids it or words match better. */
  alike?: readonly Alike[] | undefined
  /** Decisions of users. All are satisfied, including those over labels that occur in no triplet. */
  rules?: readonly Rule[] | undefined
}

/** A label in a cluster. */
export interface ClusterMember {
  /** The label's key, as in the id of the graph's node. */
  key: string
  /** Variants of the label in the triplets, most frequent first. */
  spellings: string[]
  /** Number of its occurrences in the triplets. */
  count: number
  why: Why
  /**
   * Verbs only: subject and object of its triplets are exchanged, as for "was attacked by" in the cluster "attacked".
   */
  turned: boolean
}

export interface Cluster {
  /** Hash of the kind and the smallest key: labels that sort behind that key do not change it. */
  id: string
  /** The most frequent variant; for verbs, the most frequent one that is not turned. */
  label: string
  count: number
  /** Sorted by key. */
  members: ClusterMember[]
}

/** The clusters of each kind, sorted by their smallest key. */
export interface Assignment {
  entities: Cluster[]
  verbs: Cluster[]
}

export interface CanonicalNarrative {
  /** Labels of the clusters of subject, verb and object. */
  subject: string
  verb: string
  object: string
  /** Indexes of its triplets, ascending. */
  triplets: number[]
}

export interface Canonical {
  /** The clusters of subjects and objects, as lists of variants. */
  entities: string[][]
  /** The clusters of verbs, as lists of variants. */
  verbs: string[][]
  /** Sorted by the number of triplets, largest first. */
  narratives: CanonicalNarrative[]
}

interface Label {
  count: number
  spellings: Map<string, number>
}

const byCount = ([a, n]: [string, number], [b, m]: [string, number]) => m - n || compareText(a, b)

/** Groups labels by key, sorted by key: the order of the triplets has no effect. */
const labelsOf = (
  triplets: readonly Triplet[],
  partsOf: (triplet: Triplet) => string[],
): Map<string, Label> => {
  const spellings = new Map<string, number>()
  for (const triplet of triplets)
    for (const spelling of partsOf(triplet)) spellings.set(spelling, (spellings.get(spelling) ?? 0) + 1)
  const labels = new Map<string, Label>()
  for (const [spelling, count] of [...spellings].sort(([a], [b]) => compareText(a, b))) {
    const key = keyOf(spelling)
    const label = labels.get(key)
    if (!label) labels.set(key, { count, spellings: new Map([[spelling, count]]) })
    else {
      label.count += count
      label.spellings.set(spelling, count)
    }
  }
  return new Map([...labels].sort(([a], [b]) => compareText(a, b)))
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
      const mostFrequent = (keys: readonly { key: string }[]) =>
        keys.flatMap(({ key }) => [...(labels.get(key)?.spellings ?? [])]).sort(byCount)[0]?.[0]
      const straight = reasons.filter(({ key }) => !isTurned(key))
      const members = reasons
        .map(({ key, why }) => ({
          key,
          spellings: [...(labels.get(key)?.spellings ?? [])].sort(byCount).map(([spelling]) => spelling),
          count: labels.get(key)?.count ?? 0,
          why,
          // A cluster of passives only is labelled by a passive, and its triplets are not exchanged.
          turned: straight.length > 0 && isTurned(key),
        }))
        .sort((a, b) => compareText(a.key, b.key))
      return {
        id: clusterIdOf(kind, members[0]?.key ?? ''),
        label: mostFrequent(straight.length > 0 ? straight : reasons) ?? '',
        count: members.reduce((sum, { count }) => sum + count, 0),
        members,
      }
    })
    .sort((a, b) => compareText(a.members[0]?.key ?? '', b.members[0]?.key ?? ''))

/**
 * Clusters the labels of triplets: subjects and objects by words and vectors, verbs by lemmas and vectors. The order of
 * the triplets does not affect the clusters.
 *
 * Method: leader linking over idf-weighted token overlap, as in Galárraga et al., Canonicalizing Open Knowledge
 * Bases (CIKM 2014), under the must-link and cannot-link constraints of Wagstaff et al. (ICML 2001).
 *
 * @throws RulesConflict if the rules contradict each other
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
    const withPairs = pairs.length > 0 ? withAlike(matcher, pairs) : matcher
    const combined = embeddings ? withVectors(withPairs, embeddings, counts, groupOf) : withPairs
    return link(unitsOf(counts, constraints), constraints, combined)
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

/**
 * Groups triplets into narratives by the clusters of their labels. Sorted by the number of triplets, largest first,
 * then by label.
 */
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
    (a, b) => b.triplets.length - a.triplets.length || compareText(line(a), line(b)),
  )
}

/**
 * Groups triplets into canonical narratives; see `assign`. Each variant is in exactly one cluster of its kind, each
 * triplet in exactly one narrative.
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
