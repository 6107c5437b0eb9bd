/**
 * Writes the list of DISARM's techniques (data/disarm.json) from MISP's galaxy:
 *
 *   node scripts/make-disarm-list.mjs disarm-techniques.json 2024-03-15
 *
 * The file is `clusters/disarm-techniques.json` of github.com/MISP/misp-galaxy; the date is that of its last change
 * (`git log -1 --format=%cs -- clusters/disarm-techniques.json`). Rejects a file of another shape.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { v5 } from 'uuid'

/** UUID namespace of the galaxy's clusters, which `src/disarm/read.ts` relies on. */
const CLUSTERS = '9d6bd9d2-2cd3-4900-b61a-06cd64df3996'

const [file = '', date = ''] = process.argv.slice(2)
if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new Error('Usage: make-disarm-list.mjs FILE YYYY-MM-DD')

const { type, version, values } = JSON.parse(readFileSync(file, 'utf8'))
if (type !== 'disarm-techniques') throw new Error(`${file} is not the galaxy of DISARM's techniques`)

const TACTICS = 'tactics:'
const techniques = values
  .map(({ uuid, value, meta }) => {
    const { external_id: id, kill_chain } = meta
    if (!/^T\d{4}(\.\d{3})?$/.test(id)) throw new Error(`${value} has the id ${id}`)
    if (kill_chain.length !== 1 || !kill_chain[0].startsWith(TACTICS))
      throw new Error(`Expected one tactic of ${id}, got ${kill_chain}`)
    if (uuid !== v5(id, CLUSTERS)) throw new Error(`The UUID of ${id} is not derived from its id: ${uuid}`)
    return { id, name: value, tactic: kill_chain[0].slice(TACTICS.length) }
  })
  .sort((a, b) => (a.id < b.id ? -1 : 1))
for (const key of ['id', 'name'])
  if (new Set(techniques.map(each => each[key])).size < techniques.length)
    throw new Error(`Two techniques have the same ${key}`)

const about = [
  `Written by scripts/make-disarm-list.mjs from MISP's galaxy disarm-techniques, version ${version} of ${date} (github.com/MISP/misp-galaxy, by CIRCL and others: CC0 1.0 or, at choice, BSD 2-Clause; CC0 is taken).`,
  'The techniques are those of DISARM, by the DISARM Foundation (github.com/DISARMFoundation/DISARMframeworks: CC BY-SA 4.0).',
]
const rows = techniques.map(({ id, name, tactic }) => [id, name, tactic])
writeFileSync(
  new URL('../data/disarm.json', import.meta.url),
  `${JSON.stringify({ about, date, techniques: rows }, null, 2)}\n`,
)
