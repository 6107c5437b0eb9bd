import { posix } from 'node:path'

const BUILD_KIT = '@iodine/build-kit'

/**
 * What an app is built from, as the parsed pnpm-lock.yaml says: the workspace folders it depends on, its own first, and
 * the installed packages ('react@19.3.1'), both transitively. Of its development dependencies count the packages and
 * the build kit; other workspace folders there serve its tests.
 * @param {any} lock
 * @param {string} app folder from the root, with slashes
 * @param {{ withTools?: boolean }} [options] false leaves development dependencies out
 * @returns {{ folders: string[], packages: string[] }}
 */
export function inputsOf(lock, app, { withTools = true } = {}) {
  const folders = new Set([app])
  const packages = new Set()
  const visitPackage = (name, version) => {
    // An alias names the other package's key as its version.
    const key = version in lock.snapshots ? version : `${name}@${version}`
    if (packages.has(key)) return
    packages.add(key)
    const { dependencies, optionalDependencies } = lock.snapshots[key] ?? {}
    for (const entry of Object.entries({ ...dependencies, ...optionalDependencies })) visitPackage(...entry)
  }
  const visit = (folder, name, { version }) => {
    if (!version.startsWith('link:')) return visitPackage(name, version)
    const linked = posix.join(folder, version.slice('link:'.length))
    if (folders.has(linked)) return
    folders.add(linked)
    for (const [each, target] of Object.entries(lock.importers[linked]?.dependencies ?? {}))
      visit(linked, each, target)
  }
  const { dependencies = {}, devDependencies = {} } = lock.importers[app] ?? {}
  for (const [name, target] of Object.entries(dependencies)) visit(app, name, target)
  for (const [name, target] of withTools ? Object.entries(devDependencies) : [])
    if (name === BUILD_KIT || !target.version.startsWith('link:')) visit(app, name, target)
  return { folders: [...folders], packages: [...packages].sort() }
}
