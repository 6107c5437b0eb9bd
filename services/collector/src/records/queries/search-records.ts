import { RECORD_SCHEMAS, type Source } from '@iodine/contracts'
import { containingInAnyCase } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import { z } from 'zod'
import type { RecordDoc } from '../models/record.js'

/** Paths of the texts in a value of a schema, also of those in lists. */
const textPaths = (schema: z.core.$ZodType, path: string): string[] => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return textPaths(schema.unwrap(), path)
  if (schema instanceof z.ZodArray) return textPaths(schema.element, path)
  if (schema instanceof z.ZodObject)
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, each]) =>
      textPaths(each, `${path}.${key}`),
    )
  return schema instanceof z.ZodString ? [path] : []
}

/** What a card shows of a record, apart from what the collector noted itself. */
const pathsOf = (source: Source): string[] =>
  textPaths(RECORD_SCHEMAS[source], 'data').filter(path => !path.startsWith('data.collector_metadata.'))
const PATHS: Record<Source, string[]> = {
  tiktok: pathsOf('tiktok'),
  telegram: pathsOf('telegram'),
  blog: pathsOf('blog'),
}

/**
 * Selects the records of a source with a text that contains the term, literally and in any case. Reads all of
 * the user's records of that source, as the list without a limit does.
 */
export const containingText = (source: Source, term: string): QueryFilter<RecordDoc> => {
  const text = containingInAnyCase(term)
  return {
    $or: [
      ...PATHS[source].map(path => ({ [path]: text })),
      ...(source === 'blog' ? [{ 'data.imageHashes': { $elemMatch: { $elemMatch: text } } }] : []),
    ],
  } as QueryFilter<RecordDoc>
}
