import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The workspace's packages: folders (relative to the root) that hold a package.json. */
export const packages = root =>
  ['', 'packages', 'services', 'tools']
    .flatMap(folder => readdirSync(join(root, folder)).map(name => join(folder, name)))
    .filter(folder => existsSync(join(root, folder, 'package.json')))
    .sort()

/**
 * Faults in the dependencies between workspace packages (package.json, devDependencies included): cycles,
 * which pnpm cannot build in order, and libraries (`packages/`) that depend on a part that is not a library.
 * @param root folder that the others are relative to
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
        faults.push(`${folder} is a library and depends on ${other}, which is none`)
  const done = new Set()
  const visit = (folder, path) => {
    if (path.includes(folder))
      return void faults.push(`a circle: ${[...path.slice(path.indexOf(folder)), folder].join(' → ')}`)
    if (done.has(folder)) return
    for (const other of needs.get(folder)) visit(other, [...path, folder])
    done.add(folder)
  }
  for (const folder of needs.keys()) visit(folder, [])
  return faults
}
