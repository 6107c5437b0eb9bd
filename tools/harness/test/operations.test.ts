import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { alerts, DOCUMENT, metricsOf, rowsBelow } from './operations.js'
import { settings } from './settings.js'

const ALL = 8

describe('docs/operations.md', () => {
  test('lists every setting, who reads it, and its default', () => {
    const listed = rowsBelow('## Settings').map(([name, start, parts, fallback]) => ({
      name: name?.replaceAll('`', ''),
      start: start === '✓',
      parts,
      fallback: fallback?.replaceAll('`', ''),
    }))
    const read = [...settings()].map(([name, { start, parts, fallback }]) => ({
      name,
      start,
      parts: parts.length === ALL ? 'all' : parts.join(', ') || 'npm start',
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

describe('alerts', () => {
  test('are PromQL', () => {
    expect(() => metricsOf('sum(rate(up[5m])')).toThrow()
    expect(() => metricsOf('rate(up[5m]) >> 1')).toThrow()
    expect(metricsOf('sum by (le) (rate(a_bucket{x="b"}[5m])) / absent(c)')).toEqual(['a_bucket', 'c'])
    for (const { expr } of alerts()) expect(metricsOf(expr).length).toBeGreaterThan(0)
  })
})
