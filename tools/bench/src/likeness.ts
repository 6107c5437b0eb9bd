/**
 * How many near copies and rewordings the signatures find, on public sets that were not looked at while the weights were
 * chosen: pairs found at all (recall), beside shingles of three words in bands as wide; and the mean average precision of
 * the first five answers (MAP@5). Sets that the folder lacks are left out. Takes
 *
 *   checkthat/verified_claims.docs.tsv, tweets.queries.tsv, tweet-vclaim-pairs.qrels   (CheckThat! 2020, task 2: test)
 *   msrp/msr_paraphrase_test.txt                                                       (Microsoft Research Paraphrase Corpus: test)
 *   pan/pan-test_s1.txt, pan-test_s2.txt, pan-test.labels                              (PAN paraphrases, Madnani et al., 2012: test)
 *
 *   LIKENESS_DATA=FOLDER npm run bench -- likeness
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rankingScores, type Signature, signatureOf } from '@iodine/likeness'
import { table } from './lib/measure.js'

const folder = process.env.LIKENESS_DATA
if (!folder) throw new Error('LIKENESS_DATA names the folder of the sets')

/** As a search of sightings has it: words in at most so many texts, the rarest first, up to so many texts in all. */
const POSTINGS_MAX = 500
const KEY_CANDIDATES = 300
const CANDIDATES_MAX = 2_000
const ANSWERS = 5
const SHINGLE_WORDS = 3
const SEED = 'bench'

/** Texts that are searched, and queries with the numbers of the texts that answer them. */
interface TestSet {
  name: string
  texts: string[]
  queries: { text: string; answers: ReadonlySet<number> }[]
}

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8').replace(/^\ufeff/, '')
const rows = (text: string) =>
  text
    .split(/\r?\n/)
    .filter(line => line !== '')
    .map(line => line.split('\t').map(cell => cell.replace(/^"(.*)"$/, '$1').replaceAll('""', '"')))

const checkThat = (): TestSet => {
  const claims = rows(read('checkthat', 'verified_claims.docs.tsv')).slice(1)
  const numbers = new Map(claims.map(([id = ''], n) => [id, n]))
  const answers = new Map<string, Set<number>>()
  for (const [query = '', , claim = ''] of rows(read('checkthat', 'tweet-vclaim-pairs.qrels'))) {
    answers.set(query, (answers.get(query) ?? new Set()).add(numbers.get(claim) as number))
  }
  return {
    name: 'CheckThat! 2020, claims that posts retell',
    texts: claims.map(([, claim, title]) => `${claim} ${title}`),
    queries: rows(read('checkthat', 'tweets.queries.tsv')).flatMap(([id = '', text = '']) => {
      const found = answers.get(id)
      return found ? [{ text, answers: found }] : []
    }),
  }
}

/** Pairs of which some are paraphrases: each first text is a query, all second texts are searched. */
const ofPairs = (name: string, pairs: { first: string; second: string; isSame: boolean }[]): TestSet => ({
  name,
  texts: pairs.map(({ second }) => second),
  queries: pairs.flatMap(({ first, isSame }, n) => (isSame ? [{ text: first, answers: new Set([n]) }] : [])),
})
const msrp = () =>
  ofPairs(
    'MSRP, sentences of news',
    read('msrp', 'msr_paraphrase_test.txt')
      .split(/\r?\n/)
      .slice(1)
      .filter(line => line !== '')
      .map(line => {
        const [quality, , , first = '', second = ''] = line.split('\t')
        return { first, second, isSame: quality === '1' }
      }),
  )
const pan = () => {
  const [firsts, seconds, labels] = ['pan-test_s1.txt', 'pan-test_s2.txt', 'pan-test.labels'].map(file =>
    read('pan', file).split(/\r?\n/),
  ) as [string[], string[], string[]]
  return ofPairs(
    'PAN, passages reworded by people',
    firsts.flatMap((first, n) =>
      first === '' ? [] : [{ first, second: seconds[n] ?? '', isSame: labels[n]?.trim() === '1' }],
    ),
  )
}

/** MinHash of shingles of three words in 32 bands of three, for comparison. */
const shingleBands = (text: string): string[] => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  const shingles = words
    .slice(0, Math.max(1, words.length - SHINGLE_WORDS + 1))
    .map((_, n) => words.slice(n, n + SHINGLE_WORDS).join(' '))
  const minima = new Array<string>(96).fill('~')
  for (const shingle of new Set(shingles)) {
    // 96 hashes of four bytes each: twelve digests.
    for (let block = 0; block < 12; block++) {
      const digest = createHash('sha256').update(`${block} ${shingle}`).digest('hex')
      for (let n = 0; n < 8; n++) {
        const value = digest.slice(n * 8, n * 8 + 8)
        if (value < (minima[block * 8 + n] as string)) minima[block * 8 + n] = value
      }
    }
  }
  return Array.from({ length: 32 }, (_, band) => `${band}:${minima.slice(band * 3, band * 3 + 3).join()}`)
}

const postings = (lists: readonly (readonly string[])[]) => {
  const found = new Map<string, number[]>()
  for (const [n, list] of lists.entries()) {
    for (const key of list) {
      const others = found.get(key)
      if (others) others.push(n)
      else found.set(key, [n])
    }
  }
  return found
}
/** Numbers of the texts that share one of the keys, those that share most first. */
const sharing = (index: Map<string, number[]>, keys: readonly string[]) => {
  const counts = new Map<number, number>()
  for (const key of keys) for (const n of index.get(key) ?? []) counts.set(n, (counts.get(n) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([n]) => n)
}

/** The rarest keys, with at most `KEY_CANDIDATES` texts in all. */
const tellingKeys = (index: Map<string, number[]>, keys: readonly string[]) => {
  const counted = keys.map(key => ({ key, count: index.get(key)?.length ?? 0 }))
  const telling = counted.filter(({ count }) => count > 0 && count <= POSTINGS_MAX)
  let total = 0
  return telling
    .sort((a, b) => a.count - b.count)
    .flatMap(({ key, count }) => {
      total += count
      return total <= KEY_CANDIDATES ? [key] : []
    })
}

const measure = ({ name, texts, queries }: TestSet) => {
  const signatures = texts.map(text => signatureOf(text, { seed: SEED }))
  const bands = postings(signatures.map(signature => signature.bands))
  const keys = postings(signatures.map(signature => signature.keys))
  const shingles = postings(texts.map(shingleBands))
  const found = { shingles: 0, bands: 0, both: 0 }
  let precision = 0
  for (const { text, answers } of queries) {
    const signature = signatureOf(text, { seed: SEED })
    const byBands = sharing(bands, signature.bands)
    const byKeys = sharing(keys, tellingKeys(keys, signature.keys))
    const candidates = [...new Set([...byBands, ...byKeys])].slice(0, CANDIDATES_MAX)
    const share = (some: readonly number[]) => some.filter(n => answers.has(n)).length / answers.size
    found.shingles += share(sharing(shingles, shingleBands(text)))
    found.bands += share(byBands)
    found.both += share(candidates)
    const scores = rankingScores(
      signature,
      candidates.map(n => signatures[n] as Signature),
    )
    const ranked = candidates
      .map((n, at) => ({ n, score: scores[at] as number }))
      .sort((a, b) => b.score - a.score)
    let hits = 0
    let sum = 0
    for (const [at, { n }] of ranked.slice(0, ANSWERS).entries()) {
      if (!answers.has(n)) continue
      hits++
      sum += hits / (at + 1)
    }
    precision += sum / Math.min(ANSWERS, answers.size)
  }
  const mean = (sum: number) => (sum / queries.length).toFixed(3)
  return [
    name,
    queries.length,
    texts.length,
    mean(found.shingles),
    mean(found.bands),
    mean(found.both),
    mean(precision),
  ]
}

const sets = [
  { folder: 'checkthat', load: checkThat },
  { folder: 'msrp', load: msrp },
  { folder: 'pan', load: pan },
]
table(
  [
    'set',
    'queries',
    'texts',
    'recall, shingles of 3 words',
    'recall, bands',
    'recall, bands or keys',
    'MAP@5',
  ],
  sets.flatMap(set => (existsSync(join(folder, set.folder)) ? [measure(set.load())] : [])),
)
