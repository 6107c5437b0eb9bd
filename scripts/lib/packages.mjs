import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the workspace's packages: folders (relative to the root) with a package.json. */
export const packages = root =>
  ['', 'packages', 'services', 'tools']
    .flatMap(folder => readdirSync(join(root, folder)).map(name => join(folder, name)))
    .filter(folder => existsSync(join(root, folder, 'package.json')))
    .sort()

/** Packages whose version the product reports: `/healthz`, the overview, the browser's list of extensions. */
const REPORTED = ['extension', 'packages/service-kit', 'shell']

/** Returns a sentence for each reported version that is not the root's. */
export function versionFaults(root) {
  const versionOf = folder => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).version
  const version = versionOf('')
  return REPORTED.filter(folder => versionOf(folder) !== version).map(
    folder => `${folder}/package.json must have the version ${version} of the root's package.json`,
  )
}
