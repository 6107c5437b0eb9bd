/**
 * Writes the list of DISARM's techniques (data/disarm.json) from the releases of DISARM Red and MISP's galaxy:
 *
 *   node scripts/make-disarm-list.mjs FRAMEWORKS MISP_GALAXY && npx biome format --write data
 *
 * FRAMEWORKS is a git clone of github.com/DISARMFoundation/DISARMframeworks with its history, MISP_GALAXY a git clone
 * of github.com/MISP/misp-galaxy. Rejects a file of another shape, an unknown tactic, and sources that lack an id of
 * the present list. After a run, review src/disarm/successors.ts and data/glosses.json.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { v5 } from 'uuid'

/** Releases of DISARM Red: version, and the commit of its STIX file. The first has no version, but a date. */
const RELEASES = [
  ['2022-07-03', 'cae9cbc'],
  ['1.3', '7eedbe0'],
  ['1.4', '0c64d07'],
  ['1.5', '4227d24'],
  ['1.6', 'c724a3f'],
]

/** Tactics in the order of DISARM's matrix, which is not the order of their ids, with their phases. */
const TACTICS = {
  Plan: ['TA01', 'TA02', 'TA13'],
  Prepare: ['TA14', 'TA06', 'TA15', 'TA16', 'TA05', 'TA07'],
  Execute: ['TA08', 'TA09', 'TA17', 'TA18', 'TA10', 'TA11'],
  Assess: ['TA12'],
}

/** UUID namespace of the galaxy's clusters, which `src/disarm/galaxy.ts` relies on. */
const CLUSTERS = '9d6bd9d2-2cd3-4900-b61a-06cd64df3996'

const [frameworks, galaxies] = process.argv.slice(2)
if (!frameworks || !galaxies) throw new Error('Usage: make-disarm-list.mjs FRAMEWORKS MISP_GALAXY')

const git = (folder, ...args) =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 })
const readJson = (folder, commit, path) => JSON.parse(git(folder, 'show', `${commit}:${path}`))
const dateOf = (folder, commit, ...paths) =>
  git(folder, 'log', '-1', '--format=%cs', commit, '--', ...paths).trim()

const assert = (condition, message) => {
  if (!condition) throw new Error(message)
}

/** Returns the id in the object's first reference, which has the form of `pattern`. */
const idOf = ({ name, external_references: [reference] = [] }, pattern) => {
  const id = reference?.external_id
  assert(pattern.test(id), `${name} has the id ${id}`)
  return id
}

const only = (values, of) => {
  assert(values?.length === 1, `Expected one tactic of ${of}, got ${JSON.stringify(values)}`)
  return values[0]
}

/** Reads a release: names of its tactics by id; name and tactic of its techniques by id. */
const readRelease = ([version, commit]) => {
  const { type, objects } = readJson(frameworks, commit, 'generated_files/DISARM_STIX/DISARM.json')
  assert(type === 'bundle', `${version} is no STIX bundle`)
  const tactics = new Map()
  const tacticIds = new Map()
  for (const tactic of objects.filter(each => each.type === 'x-mitre-tactic')) {
    const id = idOf(tactic, /^TA\d\d$/)
    assert(Object.values(TACTICS).flat().includes(id), `${version} has the unknown tactic ${id}`)
    tactics.set(id, tactic.name.trim())
    tacticIds.set(tactic.x_mitre_shortname, id)
  }
  const techniques = new Map()
  for (const technique of objects.filter(each => each.type === 'attack-pattern')) {
    const id = idOf(technique, /^T\d{4}(\.\d{3})?$/)
    const { phase_name } = only(technique.kill_chain_phases, id)
    assert(tacticIds.has(phase_name), `${id} has the unknown tactic ${phase_name}`)
    assert(!techniques.has(id), `${version} contains ${id} twice`)
    techniques.set(id, { name: technique.name.trim(), tactic: tacticIds.get(phase_name) })
  }
  return { version, tactics, techniques }
}

/** Reads MISP's galaxy: values by id. */
const readGalaxy = () => {
  const { type, values } = readJson(galaxies, 'HEAD', 'clusters/disarm-techniques.json')
  assert(type === 'disarm-techniques', `${galaxies} lacks the galaxy of DISARM's techniques`)
  return new Map(
    values.map(({ uuid, value, meta: { external_id: id, kill_chain } }) => {
      only(kill_chain, id)
      assert(uuid === v5(id, CLUSTERS), `The UUID of ${id} is not derived from its id: ${uuid}`)
      return [id, value]
    }),
  )
}

const releases = RELEASES.map(readRelease)
const latest = releases.at(-1)
const ids = [...new Set(releases.flatMap(({ techniques }) => [...techniques.keys()]))].sort()
const techniques = ids.map(id => {
  const having = releases.filter(release => release.techniques.has(id))
  const last = having.at(-1)
  const { name, tactic } = last.techniques.get(id)
  return [id, name, tactic, having[0].version, last === latest ? null : last.version]
})
const names = new Map(techniques.map(([id, name]) => [id, name]))

const galaxy = readGalaxy()
const unknown = [...galaxy.keys()].filter(id => !names.has(id))
assert(unknown.length === 0, `No release has ${unknown} of the galaxy`)
/** The release that the galaxy was generated from: the one of which it lacks least. */
const [base] = releases
  .filter(release => [...galaxy.keys()].every(id => release.techniques.has(id)))
  .sort((a, b) => a.techniques.size - b.techniques.size)
assert(base, 'No release contains all techniques of the galaxy')
const values = [...galaxy].filter(([id, value]) => names.get(id) !== value)
const lacks = [...base.techniques.keys()].filter(id => !galaxy.has(id))

/** Earlier names that differ from the last one by more than case. */
const former = ids.flatMap(id => {
  const given = releases.flatMap(release => release.techniques.get(id)?.name ?? [])
  const folded = new Map(given.map(name => [name.toLowerCase(), name]))
  folded.delete(names.get(id).toLowerCase())
  return [...folded.values()].map(name => [name, id])
})

const file = new URL('../data/disarm.json', import.meta.url)
const lost = JSON.parse(readFileSync(file, 'utf8')).techniques.filter(([id]) => !names.has(id))
assert(lost.length === 0, `The sources lack ${lost.map(([id]) => id)} of the present list`)

const commit = RELEASES.at(-1)[1]
const list = {
  about: [
    `Ids and names of the techniques of DISARM Red up to ${latest.version}, by the DISARM Foundation (github.com/DISARMFoundation/DISARMframeworks: CC BY-SA 4.0). Changes: several releases in one list; without descriptions.`,
    `Values of MISP's galaxy disarm-techniques of ${dateOf(galaxies, 'HEAD', 'clusters/disarm-techniques.json')} (github.com/MISP/misp-galaxy, by CIRCL and others: CC0 1.0 or, at choice, BSD 2-Clause; CC0 is taken).`,
    'Written by scripts/make-disarm-list.mjs.',
  ],
  version: latest.version,
  date: dateOf(frameworks, commit),
  releases: releases.map(({ version }) => version),
  tactics: Object.entries(TACTICS).flatMap(([phase, tacticIds]) =>
    tacticIds.map(id => [id, latest.tactics.get(id), phase]),
  ),
  techniques,
  galaxy: { release: base.version, lacks, values },
  former,
}
writeFileSync(file, `${JSON.stringify(list, null, 2)}\n`)
