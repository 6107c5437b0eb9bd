import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the workspace's packages: folders (relative to the root) with a package.json. */
export const packages = root =>
  ['', 'packages', 'services', 'tools']
    .flatMap(folder => readdirSync(join(root, folder)).map(name => join(folder, name)))
    .filter(folder => existsSync(join(root, folder, 'package.json')))
    .sort()

/**
 * Checks the dependencies between workspace packages (package.json, including devDependencies) for cycles, which pnpm
 * can't build in order, and for libraries (`packages/`) that depend on a part that is no library.
 * @param root base folder of the others
 * @param folders the packages' folders
 * @returns one sentence per fault
 */
export function packageFaults(root, folders) {
  const manifests = folders.map(folder => [
    folder,
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')),
  ])
  const folderOf = new Map(manifests.map(([folder, { name }]) => [name, folder]))
  const needs = new Map(
    manifests.map(([folder, { dependencies, devDependencies }]) => [
      folder,
      Object.keys({ ...dependencies, ...devDependencies }).flatMap(name => folderOf.get(name) ?? []),
    ]),
  )
  const faults = []
  for (const [folder, needed] of needs)
    for (const other of needed)
      if (folder.startsWith('packages/') && !other.startsWith('packages/'))
        faults.push(`${folder} is a library and depends on ${other}, which is not a library`)
  const done = new Set()
  const visit = (folder, path) => {
    if (path.includes(folder))
      return void faults.push(
        `a dependency cycle: ${[...path.slice(path.indexOf(folder)), folder].join(' → ')}`,
      )
    if (done.has(folder)) return
    for (const other of needs.get(folder)) visit(other, [...path, folder])
    done.add(folder)
  }
  for (const folder of needs.keys()) visit(folder, [])
  return faults
}

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
