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

/** Yields the strings below a path; arrays are transparent. */
function* stringsAt(value: unknown, keys: readonly string[]): Generator<string> {
  const [key, ...rest] = keys
  if (Array.isArray(value)) for (const each of value) yield* stringsAt(each, keys)
  else if (key === undefined) {
    if (typeof value === 'string') yield value
  } else if (typeof value === 'object' && value !== null)
    yield* stringsAt((value as Record<string, unknown>)[key], rest)
}

const KEYS = Object.fromEntries(
  SOURCES.map(source => [
    source,
    [...PATHS[source], ...(source === 'blog' ? ['data.imageHashes'] : [])].map(path => path.split('.')),
  ]),
) as Record<Source, string[][]>

/** Yields the texts of a record that a search compares. */
export function* searchedTexts(source: Source, record: Pick<RecordDoc, 'data'>): Generator<string> {
  for (const keys of KEYS[source]) yield* stringsAt(record, keys)
}
