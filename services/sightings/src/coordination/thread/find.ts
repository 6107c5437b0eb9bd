import type { ShareKind } from '@iodine/contracts'
import { detectPairs, network, type Pair, type Share, significance } from '@iodine/coordination'
import { likeness, type Signature } from '@iodine/likeness'
import { NEAR } from '../../sightings/policies/signatures.js'
import type { EdgePair, NetworkEdge } from '../models/run.js'

/** The fields of a post that runs compare. */
export interface Post {
  /** The record's id. */
  id: string
  /** The record's user. */
  owner: string
  /** Equal for all users who collect the post. */
  key: string
  account: string
  /** Seconds since 1970. */
  at: number
  links: string[]
  media: string[]
  hashtags: string[]
  signature: Signature | null
}

export interface FindOptions {
  kinds: readonly ShareKind[]
  windowS: number
  minParticipation: number
  maxEdges: number
  maxEvidence: number
}

export interface FoundEdge extends NetworkEdge {
  pairs: EdgePair<string>[]
  /** Records that the edge refers to, and their users (`owners`). */
  records: string[]
  owners: string[]
}

export interface Findings {
  shares: number
  pairs: number
  accounts: number
  edges: number
  threshold: number | null
  truncatedObjects: number
  found: FoundEdge[]
}

/** Maximum number of groups of near-identical texts, and of groups that a text is compared with. */
const LEADERS_MAX = 50_000
const COMPARED_MAX = 50
/** Maximum number of shares for which the significance of edges is computed. */
const SIGNIFICANCE_SHARES = 100_000
/** Maximum number of pairs of a run. */
const PAIRS_MAX = 2_000_000

/**
 * Groups near-identical texts by leader clustering. Each text, in order of time, joins the group whose first text is
 * the most similar, or starts a group. Only first texts are compared, so that a chain of small changes joins no
 * different texts.
 * @returns the group of each post, null without a text or a group
 */
export const nearGroups = (posts: readonly Post[]): (string | null)[] => {
  const order = [...posts.keys()].sort((a, b) => (posts[a]?.at ?? 0) - (posts[b]?.at ?? 0))
  const leaders: Signature[] = []
  const byBand = new Map<string, number[]>()
  const groups = new Array<string | null>(posts.length).fill(null)
  for (const n of order) {
    const signature = posts[n]?.signature
    if (!signature) continue
    const candidates = new Set<number>()
    for (const band of signature.bands) {
      for (const leader of byBand.get(band) ?? []) {
        if (candidates.size === COMPARED_MAX) break
        candidates.add(leader)
      }
    }
    let best = -1
    let most = NEAR
    for (const leader of candidates) {
      const alike = likeness(leaders[leader] as Signature, signature)
      if (alike >= most && (alike > most || best < 0)) {
        best = leader
        most = alike
      }
    }
    if (best < 0 && leaders.length < LEADERS_MAX) {
      best = leaders.length
      leaders.push(signature)
      for (const band of signature.bands) {
        const others = byBand.get(band)
        if (others) others.push(best)
        else byBand.set(band, [best])
      }
    }
    if (best >= 0) groups[n] = (leaders[best] as Signature).exact
  }
  return groups
}

const objectOf = (kind: ShareKind, name: string) => `${kind} ${name}`
const kindIn = (object: string): ShareKind => object.slice(0, object.indexOf(' ')) as ShareKind
const nameIn = (object: string): string | null =>
  /^(link|hashtag) /.test(object) ? object.slice(object.indexOf(' ') + 1) : null

/** Returns the shares of posts: one for each distinct object of the requested kinds. */
export const sharesOf = (posts: readonly Post[], kinds: readonly ShareKind[]): Share[] => {
  const wanted = new Set(kinds)
  const groups = wanted.has('near') ? nearGroups(posts) : []
  return posts.flatMap((post, n): Share[] => {
    const objects = new Set<string>()
    const add = (kind: ShareKind, names: readonly string[]) => {
      if (wanted.has(kind)) for (const name of names) objects.add(objectOf(kind, name))
    }
    add('link', post.links)
    add('media', post.media)
    add('hashtag', post.hashtags)
    const group = groups[n]
    if (group) add('near', [group])
    // Identical texts are near-identical, too: such a text counts once.
    else if (post.signature) add('text', [post.signature.exact])
    return [...objects].map(object => ({ object, account: post.account, content: post.key, at: post.at }))
  })
}

/** Finds accounts that share the same content. @param onProgress called with 0 to 1 */
export const findCoordination = (
  posts: readonly Post[],
  { kinds, windowS, minParticipation, maxEdges, maxEvidence }: FindOptions,
  onProgress: (progress: number) => void,
): Findings => {
  const shares = sharesOf(posts, kinds)
  onProgress(0.3)
  const options = { windowS, minParticipation, maxPairs: PAIRS_MAX }
  const { pairs, truncated } = detectPairs(shares, options)
  onProgress(0.5)
  const edges = network(pairs).sort((a, b) => b.weight - a.weight || a.avgDeltaS - b.avgDeltaS)
  const isSmall = shares.length <= SIGNIFICANCE_SHARES
  const tests =
    isSmall && edges.length > 0
      ? significance(shares, { ...options, onRun: done => onProgress(0.5 + done / 250) })
      : null
  const threshold = tests?.threshold ?? null
  const tested = new Map(tests?.tested.map(edge => [`${edge.a}\n${edge.b}`, edge]))
  const byKey = new Map(posts.map(post => [post.key, post]))
  const kept = new Map(edges.slice(0, maxEdges).map(edge => [`${edge.a}\n${edge.b}`, [] as Pair[]]))
  for (const pair of pairs) {
    const [a, b] = pair.a < pair.b ? [pair.a, pair.b] : [pair.b, pair.a]
    kept.get(`${a}\n${b}`)?.push(pair)
  }
  const found = edges.slice(0, maxEdges).map(({ a, b, weight, avgDeltaS, nA, nB, symmetry }): FoundEdge => {
    const own = kept.get(`${a}\n${b}`) ?? []
    const test = tested.get(`${a}\n${b}`)
    const records = [...new Set(own.flatMap(pair => [pair.contentA, pair.contentB]))].flatMap(
      key => byKey.get(key) ?? [],
    )
    const evidence = [...own].sort((a, b) => a.deltaS - b.deltaS).slice(0, maxEvidence)
    return {
      a,
      b,
      weight,
      avg_delta_s: avgDeltaS,
      n_a: nA,
      n_b: nB,
      symmetry,
      significant: threshold === null ? null : weight > threshold,
      p_value: test?.pValue ?? null,
      q_value: test?.qValue ?? null,
      pairs: evidence.map(({ object, contentA, contentB, deltaS }) => ({
        kind: kindIn(object),
        object: nameIn(object),
        older: byKey.get(contentA)?.id ?? '',
        newer: byKey.get(contentB)?.id ?? '',
        delta_s: deltaS,
      })),
      records: records.map(({ id }) => id),
      owners: [...new Set(records.map(({ owner }) => owner))],
    }
  })
  return {
    shares: shares.length,
    pairs: pairs.length,
    accounts: new Set(edges.flatMap(({ a, b }) => [a, b])).size,
    edges: edges.length,
    threshold,
    truncatedObjects: truncated.length,
    found,
  }
}
