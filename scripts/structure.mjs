/**
 * `npm run structure`: checks the import rules of .dependency-cruiser.mjs, and that the type check covers every part, reported
 * versions are equal, queries of services do not write, and services call each other in order.
 */
import { existsSync, readFileSync } from 'node:fs'
import { packages, versionFaults } from './lib/packages.mjs'
import { bin, isCommand, main, must, Refusal, root } from './lib/run.mjs'
import { serviceFaults } from './lib/services.mjs'

export async function structure() {
  const checked = ['node', 'browser', 'tests']
    .flatMap(name => JSON.parse(readFileSync(`tsconfig.${name}.json`, 'utf8')).include)
    .map(pattern => new RegExp(`^${pattern.replaceAll('*', '[^/]+')}$`))
  const missing = packages(root)
    .flatMap(folder => [`${folder}/src`, `${folder}/test`])
    .filter(path => existsSync(path) && !checked.some(pattern => pattern.test(path)))
  if (missing.length > 0)
    throw new Refusal(
      `The types of these folders are not checked: add them to "include" of tsconfig.node.json, tsconfig.browser.json or tsconfig.tests.json: ${missing.join(', ')}`,
    )
  const faults = [...versionFaults(root), ...serviceFaults(root)]
  if (faults.length > 0) throw new Refusal(`The structure has faults:\n${faults.join('\n')}`)
  await must('Checking the import rules', bin('depcruise'), [
    '--config',
    '.dependency-cruiser.mjs',
    ...packages(root),
  ])
}

if (isCommand(import.meta)) await main(structure)
