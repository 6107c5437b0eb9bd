/** `npm run audit`: reports known vulnerabilities of production dependencies, if the registry responds. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { install } from './lib/install.mjs'
import { isCommand, main, Refusal, root, say } from './lib/run.mjs'

/** Returns the registry configured on this machine. */
const configuredRegistry = async () => {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], {
    cwd: root,
    shell: process.platform === 'win32',
  })
  return stdout.trim()
}

const line = ({ name, versions, severity, title, url, range }) =>
  `  ${severity}: ${name} ${versions.join(', ')} (vulnerable: ${range})\n    ${title}\n    ${url}`

/** Reads the accepted advisories, `{ url, reason, until }` each. An exception expires after the day `until`, in UTC. */
const readAllowed = () => JSON.parse(readFileSync(join(root, 'scripts/audit-allowed.json'), 'utf8'))

/** Fails on high or critical advisories. A registry that does not respond is reported, but not a failure. */
export const auditDependencies = async ({ allowed = readAllowed(), timeoutMs } = {}) => {
  for (const { url, reason, until } of allowed)
    if (!url || !reason || !/^\d{4}-\d\d-\d\d$/.test(until))
      throw new Refusal('scripts/audit-allowed.json: each entry has a url, a reason, and a date in until.')
  // Imported lazily: its dependencies are absent before the first install.
  const { audit } = await import('./lib/audit.mjs')
  const registry = await configuredRegistry()
  const { unanswered, count, severe, others } = await audit({ registry, allowed, timeoutMs })
  if (unanswered) return say(`Skipped: advisories were requested from the registry, but ${unanswered}.`)
  if (others.length > 0) say(`Known vulnerabilities below high:\n${others.map(line).join('\n')}`)
  if (severe.length > 0)
    throw new Refusal(
      `Production dependencies have known vulnerabilities:\n${severe.map(line).join('\n')}\nUpdate them, or list the advisory in scripts/audit-allowed.json with a reason and a date.`,
    )
  say(`${count} production dependencies: none has a known vulnerability that is high or critical.`)
}

if (isCommand(import.meta))
  await main(async () => {
    await install()
    await auditDependencies()
  })
