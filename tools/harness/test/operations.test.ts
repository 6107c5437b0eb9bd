import { AUDIT_ACTION_NAMES } from '@iodine/contracts'
import { describe, expect, test } from 'vitest'
import { ACCOUNTS, alerts, DOCUMENT, metricsOf, rowsBelow } from './operations.js'
import { settingsPage } from './settings.js'

test('docs/settings.md lists every setting with its readers, default and meaning', async () => {
  expect(settingsPage()).not.toMatch(/\|\s*\|$/m)
  await expect(settingsPage()).toMatchFileSnapshot('../../../docs/settings.md')
})

describe('docs/operations.md', () => {
  test('has exactly one runbook per alert', () => {
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
})

test('docs/accounts.md states when each action of the audit log is recorded', () => {
  const rows = rowsBelow('### What it records', ACCOUNTS)
  const named = rows.flatMap(([names = '']) => names.split(' ').map(name => name.replaceAll('`', '')))
  expect(named.sort()).toEqual([...AUDIT_ACTION_NAMES].sort())
  for (const [names, when] of rows) expect([names, when]).toEqual([names, expect.stringMatching(/\w/)])
})

describe('alerts', () => {
  test('are valid PromQL', () => {
    expect(() => metricsOf('sum(rate(up[5m])')).toThrow()
    expect(() => metricsOf('rate(up[5m]) >> 1')).toThrow()
    expect(metricsOf('sum by (le) (rate(a_bucket{x="b"}[5m])) / absent(c)')).toEqual(['a_bucket', 'c'])
    for (const { expr } of alerts()) expect(metricsOf(expr).length).toBeGreaterThan(0)
  })
})
