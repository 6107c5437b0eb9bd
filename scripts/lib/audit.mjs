import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { parse } from 'yaml'
import { inputsOf } from '../../tools/build-kit/src/inputs.mjs'
import { root } from './run.mjs'

/** The registry's bulk advisory endpoint, which npm's client also uses. */
const ENDPOINT = '-/npm/v1/security/advisories/bulk'
/** Parts that are not deployed. */
const NOT_DEPLOYED = new Set(['.', 'e2e', 'tools/bench', 'tools/chaos', 'tools/harness', 'packages/test-kit'])

/** Returns the keys in the parsed lock file of all direct and transitive dependencies of the deployed parts. */
export const shippedKeys = lock => {
  const deployed = Object.keys(lock.importers).filter(folder => !NOT_DEPLOYED.has(folder))
  const keys = deployed.flatMap(folder => inputsOf(lock, folder, { withTools: false }).packages)
  return [...new Set(keys)].sort()
}

/** Returns the names and versions of all direct and transitive dependencies of the deployed parts. */
export const productionPackages = lockFile => {
  const packages = {}
  for (const key of shippedKeys(parse(lockFile))) {
    const [, name, version] = /^(@?[^@]+)@([^(]+)/.exec(key)
    packages[name] = [...new Set([...(packages[name] ?? []), version])].sort()
  }
  return packages
}

/**
 * Queries the registry for known vulnerabilities of the production dependencies.
 * @returns `unanswered` with the reason, or `severe` and `others`, lists of advisories with the affected
 *   versions
 */
export async function audit({ registry, allowed, timeoutMs = 8_000 }) {
  const packages = productionPackages(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'))
  let advisories
  try {
    const response = await fetch(new URL(ENDPOINT, registry.replace(/\/*$/, '/')), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(packages),
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (!response.ok) return { unanswered: `it answered ${response.status}` }
    advisories = await response.json()
    if (typeof advisories !== 'object' || advisories === null) throw new SyntaxError()
  } catch (error) {
    if (error.name === 'TimeoutError') return { unanswered: `it did not answer within ${timeoutMs / 1000} s` }
    return {
      unanswered: error instanceof SyntaxError ? 'its answer is not JSON' : 'it could not be reached',
    }
  }
  const today = new Date().toISOString().slice(0, 10)
  const open = new Set(allowed.filter(({ until }) => until >= today).map(({ url }) => url))
  const found = Object.entries(advisories)
    .flatMap(([name, list]) =>
      list.map(({ url, title, severity, vulnerable_versions: range }) => {
        const versions = (packages[name] ?? []).filter(version =>
          semver.satisfies(version, range, { includePrerelease: true }),
        )
        return { name, versions, severity, title, url, range }
      }),
    )
    .filter(({ versions, url }) => versions.length > 0 && !open.has(url))
  const isSevere = ({ severity }) => ['high', 'critical'].includes(severity)
  return {
    count: Object.keys(packages).length,
    severe: found.filter(isSevere),
    others: found.filter(advisory => !isSevere(advisory)),
  }
}
