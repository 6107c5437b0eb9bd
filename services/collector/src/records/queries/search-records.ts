import { RECORD_SCHEMAS, SOURCES, type Source } from '@iodine/contracts'
import { containingInAnyCase } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import { z } from 'zod'
import type { RecordDoc } from '../models/record.js'

/** Returns the paths of the strings in a schema, including those in arrays. */
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

/** Returns the searched paths of a source: all strings except the collector's metadata and other fields as JSON. */
const pathsOf = (source: Source): string[] =>
  textPaths(RECORD_SCHEMAS[source], 'data').filter(
    path => !path.startsWith('data.collector_metadata.') && !path.endsWith('.extra'),
  )
const PATHS = Object.fromEntries(SOURCES.map(source => [source, pathsOf(source)])) as Record<Source, string[]>

/**
 * Selects the records of a source with a string that contains the term, literally and case-insensitively. Reads all of
 * the user's records of that source.
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
