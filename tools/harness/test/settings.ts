import { SERVICE_NAMES } from '@iodine/contracts'
import { stackConfigSchema } from '@iodine/dev-stack'
import { PART_NAMES, PARTS } from '@iodine/dev-stack/parts'
import type { z } from 'zod'

const ADDRESSES = new Set(
  SERVICE_NAMES.filter(name => name !== 'auth').map(name => `${name.toUpperCase()}_URL`),
)
const NONE = { start: false, fallback: '', description: '' }

/** A setting defined by the schemas. */
export interface Setting {
  /** Whether `npm start` and docker-compose's `.env` accept it. */
  start: boolean
  parts: string[]
  /** The default as written in an environment; `required` or `none` if there is no default. */
  fallback: string
  description: string
}

const fallbackOf = (schema: z.ZodType): string => {
  let { def } = schema as unknown as { def: { type: string; in?: z.ZodType; defaultValue?: unknown } }
  while (def.type === 'pipe' && def.in) def = (def.in as unknown as { def: typeof def }).def
  if (def.type === 'default') return String(def.defaultValue) || 'none'
  return schema.safeParse(undefined).success ? 'none' : 'required'
}

/** Returns all settings that any part reads. */
export const settings = (): Map<string, Setting> => {
  const found = new Map<string, Setting>()
  // `npm start` passes these on unchanged.
  const start = new Set([...Object.keys(stackConfigSchema.shape), 'SOCIAL_LINKS'])
  for (const [part, { schema }] of Object.entries(PARTS))
    for (const [name, field] of Object.entries(schema.shape)) {
      const setting = found.get(name) ?? { ...NONE, start: start.delete(name), parts: [] }
      setting.parts.push(part)
      const fallback = fallbackOf(field as z.ZodType)
      // A setting may be required by one part and optional for another.
      setting.fallback = setting.fallback === 'required' ? 'required' : fallback
      setting.description ||= (field as z.ZodType).description ?? ''
      found.set(name, setting)
    }
  for (const name of start) {
    const field: z.ZodType = stackConfigSchema.shape[name as never]
    found.set(name, {
      start: true,
      parts: [],
      fallback: fallbackOf(field),
      description: field.description ?? '',
    })
  }
  return found
}

/** Groups of parts with one name in the table. A new service needs no entry. */
const PART_GROUPS = new Map([
  [PART_NAMES.join(), 'all'],
  [SERVICE_NAMES.join(), 'services'],
  ['', '`npm start`'],
])

const HEAD = `# Settings

This page lists every environment variable for operators. The code that reads them generates it: \`npx vitest run tools/harness/test/operations -u\`.

- An empty variable counts as absent. A wrong one stops the start, which lists every fault.
- \`npm start\` and the environment file of docker compose accept those with a tick. They set the others themselves.
- _services_ are those with a database of their own: all parts but the workers and the gateway.
- \`{SERVICE}_URL\` is the internal address of each other service, such as \`IODS_URL\`. Routes of a service without an address answer 503.

| setting | \`npm start\` | read by | default | meaning |
| --- | --- | --- | --- | --- |
`

/** Generates docs/settings.md. */
export const settingsPage = (): string => {
  const rows = [...settings()].filter(([name]) => !ADDRESSES.has(name))
  const row = ([name, { start, parts, fallback, description }]: (typeof rows)[number]) => {
    // A path differs between machines; a long default would widen the table.
    const isDescribed = fallback.startsWith('/') || fallback.length > 60
    const value = isDescribed ? 'see the code' : fallback
    const isWord = isDescribed || value === 'none' || value === 'required'
    const cells = [
      `\`${name}\``,
      start ? '✓' : '',
      PART_GROUPS.get(parts.join()) ?? parts.join(', '),
      isWord ? value : `\`${value}\``,
      description,
    ]
    return `| ${cells.join(' | ')} |\n`
  }
  return HEAD + rows.map(row).join('')
}
