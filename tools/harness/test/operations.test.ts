import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AUDIT_ACTION_NAMES, SERVICE_NAMES } from '@iodine/contracts'
import { PART_NAMES } from '@iodine/dev-stack/parts'
import { describe, expect, test } from 'vitest'
import { ACCOUNTS, alerts, DOCUMENT, metricsOf, rowsBelow } from './operations.js'
import { settings } from './settings.js'

/** Groups of parts, and of settings, that have one name in the table: a new service needs no row. */
const PART_GROUPS = new Map([
  [PART_NAMES.join(), 'all'],
  [SERVICE_NAMES.join(), 'services'],
  ['', 'npm start'],
])
const ADDRESSES = SERVICE_NAMES.filter(name => name !== 'auth').map(name => `${name.toUpperCase()}_URL`)

describe('docs/operations.md', () => {
  test('lists every setting, who reads it, and its default', () => {
    const listed = rowsBelow('## Settings').map(([name, start, parts, fallback]) => ({
      name: name?.replaceAll('`', ''),
      start: start === '✓',
      parts,
      fallback: fallback?.replaceAll('`', ''),
    }))
    const all = settings()
    const [address = '', ...others] = ADDRESSES
    for (const other of others) {
      expect([other, all.get(other)]).toEqual([other, all.get(address)])
      all.delete(other)
    }
    const read = [...all].map(([name, { start, parts, fallback }]) => ({
      name: name === address ? '{SERVICE}_URL' : name,
      start,
      parts: PART_GROUPS.get(parts.join()) ?? parts.join(', '),
      // Long defaults and local paths are only described.
      fallback: fallback.length > 60 || fallback.startsWith('/') ? expect.any(String) : fallback,
    }))
    const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
      (a.name ?? '') < (b.name ?? '') ? -1 : 1
    expect(listed.sort(byName)).toEqual(read.sort(byName))
  })

  test('has a runbook for each alert, and none for others', () => {
    const runbooks = DOCUMENT.split('\n## Alerts')[1]
      ?.split('\n## ')[0]
      ?.match(/^### \w+$/gm)
    expect(runbooks).toEqual(alerts().map(({ alert }) => `### ${alert}`))
    for (const { alert, labels, annotations } of alerts()) {
      expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`)
      expect(annotations.summary).toMatch(/\S/)
      expect(['page', 'ticket']).toContain(labels.severity)
    }
  })

  test('and the README name every setting of npm start', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
    for (const [name, { start }] of settings()) if (start) expect(readme).toContain(`\`${name}\``)
  })
})

test('docs/accounts.md says of each action of the audit log when it is recorded', () => {
  const rows = rowsBelow('### What it records', ACCOUNTS)
  const named = rows.flatMap(([names = '']) => names.split(' ').map(name => name.replaceAll('`', '')))
  expect(named.sort()).toEqual([...AUDIT_ACTION_NAMES].sort())
  for (const [names, when] of rows) expect([names, when]).toEqual([names, expect.stringMatching(/\w/)])
})

describe('alerts', () => {
  test('are PromQL', () => {
    expect(() => metricsOf('sum(rate(up[5m])')).toThrow()
    expect(() => metricsOf('rate(up[5m]) >> 1')).toThrow()
    expect(metricsOf('sum by (le) (rate(a_bucket{x="b"}[5m])) / absent(c)')).toEqual(['a_bucket', 'c'])
    for (const { expr } of alerts()) expect(metricsOf(expr).length).toBeGreaterThan(0)
  })
})
