import { posix } from 'node:path'

const BUILD_KIT = '@iodine/build-kit'

/**
 * Returns an app's build inputs by the parsed pnpm-lock.yaml: workspace folders (the app's own first) and installed
 * packages ('react@19.3.1'), both transitive. Of the development dependencies only installed packages and the build kit
 * count; other workspace folders there serve the app's tests.
 * @param {any} lock
 * @param {string} app folder relative to the root, with slashes
 * @param {{ withTools?: boolean }} [options] false omits development dependencies
 * @returns {{ folders: string[], packages: string[] }}
 */
export function inputsOf(lock, app, { withTools = true } = {}) {
  const folders = new Set([app])
  const packages = new Set()
  const visitPackage = (name, version) => {
    // The version of an alias is the key of the aliased package.
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
