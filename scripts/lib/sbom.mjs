import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import { parse } from 'yaml'
import { shippedKeys } from './audit.mjs'

/** Returns the `name@version` of a key of the lock file's snapshots, without its peers. */
const plain = key => /^@?[^@]+@[^(]+/.exec(key)[0]

const split = nameAtVersion => {
  const at = nameAtVersion.lastIndexOf('@')
  return [nameAtVersion.slice(0, at), nameAtVersion.slice(at + 1)]
}

const listed = folder => (existsSync(folder) ? readdirSync(folder) : [])

/** Reads the licences of the installed packages, by `name@version`. Packages of other platforms are not installed. */
const installedLicences = root => {
  const store = join(root, 'node_modules/.pnpm')
  const licences = new Map()
  for (const modules of readdirSync(store).map(key => join(store, key, 'node_modules')))
    for (const name of listed(modules).flatMap(name =>
      name.startsWith('@') ? listed(join(modules, name)).map(scoped => join(name, scoped)) : name,
    )) {
      const manifest = join(modules, name, 'package.json')
      if (!existsSync(manifest)) continue
      const { name: itsName, version, license } = JSON.parse(readFileSync(manifest, 'utf8'))
      if (typeof license === 'string') licences.set(`${itsName}@${version}`, license)
    }
  return licences
}

/**
 * Generates the bill of materials (CycloneDX 1.6, JSON): each package of the lock file that a deployed part depends on,
 * with purl, hash, dependencies and, if installed, licence. The output is deterministic.
 * @param {string} root
 * @returns {string}
 */
export function billOfMaterials(root) {
  const lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'))
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const licences = installedLicences(root)
  const keys = shippedKeys(lock)

  const product = new Models.Component(Enums.ComponentType.Application, name, { version, bomRef: name })
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: product }) })
  const components = new Map()
  for (const id of [...new Set(keys.map(plain))].sort()) {
    const [fullName, itsVersion] = split(id)
    const [group, shortName] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName]
    const component = new Models.Component(Enums.ComponentType.Library, shortName, {
      bomRef: id,
      group,
      version: itsVersion,
      purl: new PackageURL('npm', group, shortName, itsVersion).toString(),
      scope: Enums.ComponentScope.Required,
    })
    const integrity = /^sha512-(.+)$/.exec(lock.packages[id]?.resolution.integrity ?? '')?.[1]
    if (integrity)
      component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(integrity, 'base64').toString('hex'))
    const licence = licences.get(id)
    if (licence) component.licenses.add(new Models.LicenseExpression(licence))
    components.set(id, component)
    bom.components.add(component)
  }
  for (const key of keys) {
    const { dependencies, optionalDependencies } = lock.snapshots[key] ?? {}
    for (const [dependency, itsVersion] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      const target = itsVersion in lock.snapshots ? itsVersion : `${dependency}@${itsVersion}`
      const found = components.get(plain(target))
      if (found) components.get(plain(key)).dependencies.add(found.bomRef)
    }
  }
  for (const component of components.values()) product.dependencies.add(component.bomRef)
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
}
