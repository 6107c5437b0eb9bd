import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'

const ROOT = join(import.meta.dirname, '../../..')
export const DOCUMENT = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
export const ACCOUNTS = readFileSync(join(ROOT, 'docs/accounts.md'), 'utf8')

/** Returns the cells of the first table below a heading. */
export const rowsBelow = (heading: string, document = DOCUMENT): string[][] => {
  const section = document.split(`\n${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const table = /^\|(?:.*\n\|)*.*$/m.exec(section)?.[0] ?? ''
  const rows = table.split('\n').map(line =>
    line
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )
  return rows.slice(2)
}

export interface Alert {
  alert: string
  expr: string
  labels: Record<string, string>
  annotations: Record<string, string>
}

export const alerts = (): Alert[] => {
  const { groups } = parse(readFileSync(join(ROOT, 'deploy/alerts.yml'), 'utf8')) as {
    groups: { rules: Alert[] }[]
  }
  return groups.flatMap(({ rules }) => rules)
}

/** Returns the metrics that an expression reads. Throws for invalid PromQL. */
export const metricsOf = (expression: string): string[] => {
  const names: string[] = []
  parser.parse(expression).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`invalid PromQL at ${from}: ${expression}`)
      const inSelector = type.name === 'Identifier'
      if (inSelector) names.push(expression.slice(from, to))
    },
  })
  return names
}
