import { stackConfigSchema } from '@iodine/dev-stack'
import { PARTS } from '@iodine/dev-stack/parts'
import type { z } from 'zod'

/** A setting as defined by the schemas. */
export interface Setting {
  /** Whether `npm start` and docker-compose's `.env` accept it. */
  start: boolean
  parts: string[]
  /** The default as written in an environment; `required` or `none` if there is no default. */
  fallback: string
}

const fallbackOf = (schema: z.ZodType): string => {
  let { def } = schema as unknown as { def: { type: string; in?: z.ZodType; defaultValue?: unknown } }
  while (def.type === 'pipe' && def.in) def = (def.in as unknown as { def: typeof def }).def
  if (def.type === 'default') return String(def.defaultValue) || 'none'
  return schema.safeParse(undefined).success ? 'none' : 'required'
}

/** Every setting that any part reads. */
export const settings = (): Map<string, Setting> => {
  const found = new Map<string, Setting>()
  // Passed on unchanged by the process that starts the parts.
  const start = new Set([...Object.keys(stackConfigSchema.shape), 'SOCIAL_LINKS'])
  for (const [part, { schema }] of Object.entries(PARTS))
    for (const [name, field] of Object.entries(schema.shape)) {
      const setting = found.get(name) ?? { start: start.delete(name) || false, parts: [], fallback: '' }
      setting.parts.push(part)
      const fallback = fallbackOf(field as z.ZodType)
      // A setting may be required by one part and optional for another.
      setting.fallback = setting.fallback === 'required' ? 'required' : fallback
      found.set(name, setting)
    }
  for (const name of start)
    found.set(name, { start: true, parts: [], fallback: fallbackOf(stackConfigSchema.shape[name as never]) })
  return found
}
