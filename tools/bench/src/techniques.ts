/**
 * Quality and duration of proposals of DISARM techniques by rules, on texts of incidents with their techniques and on
 * control texts without any (data/technique-texts.json): ten incidents of DISARM in other words, and texts written
 * before, together with and after the cues.
 *
 *   npm run bench -- techniques [--show NAME]
 *
 * `--show` prints the proposals for the incident of this name, or for `all`. Parents and children of a tag count
 * neither as found nor as wrong.
 */
import { readFileSync } from 'node:fs'
import { proposeTechniques } from '@iodine/exchange/disarm'
import { table } from './lib/measure.js'

type Sentence = [text: string, tids: string[]]
interface Incident {
  name: string
  sentences: Sentence[]
}
const SETS = ['disarm', 'beforeCues', 'withCues', 'afterCues'] as const
type Texts = Record<(typeof SETS)[number], Incident[]> & { controls: Record<string, string[]> }

const texts: Texts = JSON.parse(
  readFileSync(new URL('../data/technique-texts.json', import.meta.url), 'utf8'),
)
const LIMIT = 8
const shown = process.argv.at(-2) === '--show' ? process.argv.at(-1) : undefined

const isRelated = (a: string, b: string) =>
  a !== b && a.split('.')[0] === b.split('.')[0] && !(a.includes('.') && b.includes('.'))

const rate = (incidents: readonly Incident[]) => {
  const count = { tags: 0, found: 0, wrong: 0, right: 0, proposals: 0 }
  for (const { name, sentences } of incidents) {
    const gold = new Map<string, number[]>()
    for (const [n, [, tids]] of sentences.entries())
      for (const tid of tids) gold.set(tid, [...(gold.get(tid) ?? []), n])
    const proposals = proposeTechniques(
      sentences.map(([text]) => text),
      { limit: LIMIT },
    )
    count.tags += gold.size
    count.proposals += proposals.length
    for (const { tid, sentence, score } of proposals) {
      const places = gold.get(tid)
      const isNeutral = !places && [...gold.keys()].some(other => isRelated(tid, other))
      if (places) {
        count.found++
        if (places.includes(sentence)) count.right++
      } else if (!isNeutral) count.wrong++
      if (shown === name || shown === 'all')
        console.log(places ? '+' : isNeutral ? '~' : '-', name, tid, sentence, score.toFixed(2), places ?? '')
    }
    const missed = [...gold.keys()].filter(tid => !proposals.some(each => each.tid === tid))
    if (shown === name || shown === 'all') console.log('  missed', name, missed.join(' '))
  }
  const { tags, found, wrong, right, proposals } = count
  const rates = [found / tags, found / (found + wrong), right / found].map(each => each.toFixed(2))
  return [incidents.length, tags, ...rates, (proposals / incidents.length).toFixed(1)]
}

table(
  ['texts', 'incidents', 'tags', 'recall', 'precision', 'right sentence', 'proposals an incident'],
  SETS.map(name => [name, ...rate(texts[name])]),
)

for (const [name, controls] of Object.entries(texts.controls)) {
  const proposed = controls.filter(text => proposeTechniques(text.split(/(?<=\.) /)).length > 0)
  if (shown) for (const text of proposed) console.log(text)
  console.log(`Controls ${name}: ${proposed.length} of ${controls.length} with a proposal`)
}

const all = SETS.flatMap(name => texts[name].flatMap(({ sentences }) => sentences.map(([text]) => text)))
const long: string[] = []
for (let length = 0, n = 0; length < 50_000; n++) {
  const sentence = `${all[n % all.length]} (${n})`
  long.push(sentence)
  length += sentence.length
}
const times = Array.from({ length: 5 }, () => {
  const start = performance.now()
  proposeTechniques(long, { limit: 30 })
  return performance.now() - start
})
console.log(`50,000 characters: ${Math.min(...times).toFixed(0)} ms (best of 5)`)
