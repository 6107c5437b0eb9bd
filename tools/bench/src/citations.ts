/**
 * How many citations of triplets are right, on a labelled set of open information extraction: lines of a
 * sentence in tokens, a relation, and its arguments, separated by tabs, such as `data/gold/*.tsv` of CaRB
 * (dair-iitd/CaRB). Sentences are put together to texts; a citation is right if it lies in the triplet's sentence.
 *
 *   SET=…/test.tsv npm run bench -- citations
 *   SET=…/test.tsv SENTENCES=20 WRONG=10 npm run bench -- citations
 */
import { readFileSync } from 'node:fs'
import { citationsOf, type SaidTriplet } from '@iodine/evidence'
import { table } from './lib/measure.js'

const path = process.env.SET
if (!path) throw new Error('SET names no file: see the comment at the beginning of this file')
const size = Number(process.env.SENTENCES ?? 40)
/** How many wrong citations are printed. */
const shown = Number(process.env.WRONG ?? 0)

/** Undoes the Penn Treebank's tokens, so that texts read as people write them; words stay as they are. */
const asWritten = (sentence: string): string =>
  sentence
    .trim()
    .replace(/`` ?/g, '“')
    .replace(/ ?''/g, '”')
    .replace(/ ([.,;:?!%)\]]|n't|'(?:s|re|ve|ll|d|m)\b)/g, '$1')
    .replace(/([$#([]) /g, '$1')

const labelled = new Map<string, SaidTriplet[]>()
for (const line of readFileSync(path, 'utf8').split(/\r?\n/)) {
  const [tokens = '', verb = '', subject = '', object = ''] = line.split('\t')
  const sentence = asWritten(tokens)
  if (!sentence || !verb || !subject || !object) continue
  const known = labelled.get(sentence)
  if (known) known.push({ subject, verb, object })
  else labelled.set(sentence, [{ subject, verb, object }])
}

const sentences = [...labelled.keys()]
let [all, cited, right, ms] = [0, 0, 0, 0]
const wrong: string[] = []
for (let at = 0; at < sentences.length; at += size) {
  const part = sentences.slice(at, at + size)
  const starts: number[] = []
  let text = ''
  for (const sentence of part) {
    starts.push(text.length)
    text += `${sentence} `
  }
  const triplets = part.flatMap((sentence, n) =>
    (labelled.get(sentence) ?? []).map(triplet => ({ n, sentence, triplet })),
  )
  const began = performance.now()
  const places = citationsOf(
    text,
    triplets.map(({ triplet }) => triplet),
  )
  ms += performance.now() - began
  for (const [index, { n, sentence, triplet }] of triplets.entries()) {
    all++
    const place = places[index]
    if (!place) continue
    cited++
    const start = starts[n] ?? 0
    if (place.start >= start && place.end <= start + sentence.length) right++
    else
      wrong.push(
        `${place.score} ${JSON.stringify(triplet)}\n  cited  ${text.slice(place.start, place.end)}\n  right  ${sentence}`,
      )
  }
}
for (const each of wrong.slice(0, shown)) console.log(each)
const share = (n: number, of: number) => `${((n / of) * 100).toFixed(2)} %`
table(
  ['sentences a text', 'triplets', 'cited', 'right of those', 'ms a triplet'],
  [[String(size), String(all), share(cited, all), share(right, cited), (ms / all).toFixed(3)]],
)
