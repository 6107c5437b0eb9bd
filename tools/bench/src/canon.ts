/**
 * How well and how fast labels of triplets are gathered into clusters.
 *
 *   npm run bench -- canon
 *   CASES=…/folder npm run bench -- canon
 *   TRIPLETS=20000 ROUNDS=5 npm run bench -- canon
 *
 * Without CASES: the labelled set in `packages/canon/test/cases`, and seconds for TRIPLETS generated triplets against
 * grouping by equal strings. With CASES, the folder's labelled sets instead, of open knowledge base canonicalization:
 * files of JSON lines with `triple` and `true_link.subject`, as `data/*.zip` of CESI (malllabiisc/cesi) hold them, and
 * folders with `triples.txt` and `gold_npclust.txt`, as `data/` of CUVA (IBM/Open-KG-canonicalization) has them. F1 is
 * of subjects, each mention for itself, and of their distinct labels.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canonicalize, keyOf, type Triplet } from '@iodine/canon'
import { clusteringF1, type LabelledPart, labelledTriplets, median } from '@iodine/test-kit'
import { interleave, ratio, table, timed } from './lib/measure.js'

interface Mention extends LabelledPart {
  /** Labelled clusters; several if labels alone cannot tell. */
  all: ReadonlySet<string>
}

/** A labelled set: triplets, and what some of their labels mean. */
interface Case {
  name: string
  triplets: Triplet[]
  mentions: Mention[]
}

const linesOf = (path: string): string[] => readFileSync(path, 'utf8').split(/\r?\n/).filter(Boolean)

const readJsonLines = (name: string, path: string): Case => {
  const triplets: Triplet[] = []
  const mentions: Mention[] = []
  for (const line of linesOf(path)) {
    const { triple, true_link } = JSON.parse(line) as { triple: string[]; true_link: { subject: string } }
    const [subject = '', verb = '', object = ''] = triple
    triplets.push({ subject, verb, object })
    mentions.push({ label: subject, means: true_link.subject, all: new Set([true_link.subject]) })
  }
  return { name, triplets, mentions }
}

const readFolder = (name: string, path: string): Case => {
  // The first line is a count.
  const triplets = linesOf(join(path, 'triples.txt'))
    .slice(1)
    .map(line => {
      const [subject = '', verb = '', object = ''] = line.split('\t')
      return { subject, verb, object }
    })
  const means = new Map<string, Set<string>>()
  for (const line of linesOf(join(path, 'gold_npclust.txt'))) {
    const [cluster = '', , ...elements] = line.split('\t')
    for (const element of elements.filter(Boolean)) {
      const known = means.get(element)
      if (known) known.add(cluster)
      else means.set(element, new Set([cluster]))
    }
  }
  // A mention is a label, or a label and the number of its triplet.
  const mentions = [...means].map(([element, all]) => ({
    label: element.replace(/\|\d+$/, ''),
    means: [...all][0] ?? '',
    all,
  }))
  return { name, triplets, mentions }
}

const casesIn = (root: string): Case[] => {
  const found: Case[] = []
  const visit = (path: string) => {
    const name = relative(root, path)
    if (!statSync(path).isDirectory()) {
      if (readFileSync(path).subarray(0, 1).toString() === '{') found.push(readJsonLines(name, path))
    } else if (existsSync(join(path, 'gold_npclust.txt'))) found.push(readFolder(name, path))
    else for (const entry of readdirSync(path).sort()) visit(join(path, entry))
  }
  visit(root)
  return found
}

const f1Of = (mentions: readonly Mention[], placeOf: (label: string) => string) =>
  clusteringF1(
    new Map(mentions.map(({ label }, n) => [`${n}`, placeOf(label)])),
    new Map(mentions.map(({ all }, n) => [`${n}`, all])),
  )

/** Each distinct label once, with all that it means. */
const distinct = (mentions: readonly Mention[]): Mention[] => {
  const labels = new Map<string, Mention & { all: Set<string> }>()
  for (const { label, means, all } of mentions) {
    const known = labels.get(keyOf(label))
    if (known) for (const each of all) known.all.add(each)
    else labels.set(keyOf(label), { label, means, all: new Set(all) })
  }
  return [...labels.values()]
}

const figure = (value: number) => value.toFixed(3)
const rows: string[][] = []
const addRows = (name: string, mentions: readonly Mention[], clusters: readonly string[][]) => {
  const clusterOf = new Map(clusters.flatMap((cluster, n) => cluster.map(label => [label, `${n}`])))
  const ours = f1Of(mentions, label => clusterOf.get(label) ?? `alone ${label}`)
  const { macro, micro, pair, mean } = ours
  rows.push([
    name,
    String(mentions.length),
    figure(f1Of(mentions, keyOf).mean),
    ...[mean, macro, micro, pair].map(figure),
  ])
}

const folder = process.env.CASES
if (folder) {
  for (const { name, triplets, mentions } of casesIn(folder)) {
    const { entities } = canonicalize(triplets)
    addRows(`${name}, mentions`, mentions, entities)
    const labels = distinct(mentions)
    if (labels.length < mentions.length) addRows(`${name}, labels`, labels, entities)
  }
} else {
  const path = fileURLToPath(new URL('../../../packages/canon/test/cases/in-domain.txt', import.meta.url))
  const labelled = labelledTriplets(readFileSync(path, 'utf8'))
  const mentionsOf = (parts: readonly LabelledPart[]) =>
    parts.map(part => ({ ...part, all: new Set([part.means]) }))
  const { entities, verbs } = canonicalize(
    labelled.map(({ subject, verb, object }) => ({
      subject: subject.label,
      verb: verb.label,
      object: object.label,
    })),
  )
  addRows('entities', mentionsOf(labelled.flatMap(({ subject, object }) => [subject, object])), entities)
  addRows('verbs', mentionsOf(labelled.map(({ verb }) => verb)), verbs)
}
table(['set', 'elements', 'equal strings', 'mean F1', 'macro', 'micro', 'pair'], rows)

/** Triplets of a vocabulary in which few words are frequent, most are rare, and labels come in some spellings. */
const generated = (size: number): Triplet[] => {
  let state = 20_261_125
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const rare = <T>(list: readonly T[], power: number) =>
    list[Math.floor(list.length * random() ** power)] as T
  const words = Array.from({ length: 30_000 }, () =>
    Array.from(
      { length: 2 + random() * 3 },
      () => rare([...'bdfgklmnprstv'], 1) + rare([...'aeiou'], 1),
    ).join(''),
  )
  const names = Array.from({ length: 40_000 }, () =>
    Array.from({ length: 1 + random() * 3 }, () => rare(words, 3)).join(' '),
  )
  const stems = Array.from({ length: 1_000 }, () => rare(words, 2))
  const entity = () => rare(['', '', 'the ', 'The '], 1) + rare(names, 2)
  const verb = () =>
    `${rare(['', '', 'has ', 'did not ', 'may '], 1)}${rare(stems, 2)}${rare(['ed', 's', 'ed by'], 1)}`
  return Array.from({ length: size }, () => ({ subject: entity(), verb: verb(), object: entity() }))
}

/** Groups triplets by their folded labels. */
const equalStrings = (triplets: readonly Triplet[]) => {
  const groups = new Map<string, number[]>()
  for (const [index, { subject, verb, object }] of triplets.entries()) {
    const key = [subject, verb, object].map(keyOf).join('\n')
    const group = groups.get(key)
    if (group) group.push(index)
    else groups.set(key, [index])
  }
  return groups
}

if (!folder) {
  const triplets = generated(Number(process.env.TRIPLETS ?? 100_000))
  const times = await interleave(Number(process.env.ROUNDS ?? 3), {
    canonical: () => timed(() => canonicalize(triplets)),
    equal: () => timed(() => equalStrings(triplets)),
  })
  const [ours, equal] = [median(times.canonical), median(times.equal)]
  const labels = new Set(triplets.flatMap(({ subject, object }) => [keyOf(subject), keyOf(object)])).size
  table(
    ['triplets', 'distinct entities', 'canonicalize, s', 'equal strings, s', 'ratio'],
    [[triplets.length, labels, figure(ours / 1_000), figure(equal / 1_000), ratio(ours, equal)].map(String)],
  )
}
