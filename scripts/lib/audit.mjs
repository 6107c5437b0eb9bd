import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'
import { parse } from 'yaml'
import { root } from './run.mjs'

/** The registry's own endpoint for this: npm's client asks it the same. */
const ENDPOINT = '-/npm/v1/security/advisories/bulk'
const SEVERE = new Set(['high', 'critical'])
/** Parts that no deployment runs. */
const NOT_DEPLOYED = new Set(['.', 'e2e', 'tools/bench', 'tools/harness', 'packages/test-kit'])

/** Names and versions of all packages that what is deployed depends on, however indirectly. */
export const productionPackages = lockFile => {
  const { importers, snapshots } = parse(lockFile)
  const seen = new Set()
  const waiting = Object.entries(importers)
    .filter(([folder]) => !NOT_DEPLOYED.has(folder))
    .flatMap(([, { dependencies = {} }]) => Object.entries(dependencies))
    .map(([name, { version }]) => [name, version])
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [name, version] = next
    if (version.startsWith('link:')) continue
    // An alias names the package itself before its version.
    const key = /^(@?[^@(]+)@/.test(version) ? version : `${name}@${version}`
    if (seen.has(key)) continue
    seen.add(key)
    const { dependencies = {}, optionalDependencies = {} } = snapshots[key] ?? {}
    waiting.push(...Object.entries(dependencies), ...Object.entries(optionalDependencies))
  }
  const packages = {}
  for (const key of seen) {
    const [, name, version] = /^(@?[^@]+)@([^(]+)/.exec(key)
    packages[name] = [...new Set([...(packages[name] ?? []), version])].sort()
  }
  return packages
}

/**
 * Asks the registry which production dependencies have known vulnerabilities.
 * @returns `unanswered` with the reason, or `severe` and `others`, each a list of advisories with the versions concerned
 */
export async function audit({ registry, allowed = [], today = new Date(), patienceMs = 8_000 }) {
  const packages = productionPackages(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'))
  let advisories
  try {
    const response = await fetch(new URL(ENDPOINT, registry.replace(/\/*$/, '/')), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(packages),
      signal: AbortSignal.timeout(patienceMs),
    })
    if (!response.ok) return { unanswered: `it answered ${response.status}` }
    advisories = await response.json()
    if (typeof advisories !== 'object' || advisories === null) throw new SyntaxError()
  } catch (error) {
    if (error.name === 'TimeoutError')
      return { unanswered: `it did not answer within ${patienceMs / 1000} s` }
    return {
      unanswered: error instanceof SyntaxError ? 'its answer is not JSON' : 'it could not be reached',
    }
  }
  const open = new Set(allowed.filter(({ until }) => new Date(until) >= today).map(({ url }) => url))
  const found = Object.entries(advisories).flatMap(([name, list]) =>
    list.flatMap(({ url, title, severity, vulnerable_versions }) => {
      const versions = (packages[name] ?? []).filter(version =>
        semver.satisfies(version, vulnerable_versions, { includePrerelease: true }),
      )
      return versions.length === 0 || open.has(url)
        ? []
        : [{ name, versions, severity, title, url, range: vulnerable_versions }]
    }),
  )
  return {
    count: Object.keys(packages).length,
    severe: found.filter(({ severity }) => SEVERE.has(severity)),
    others: found.filter(({ severity }) => !SEVERE.has(severity)),
  }
}
