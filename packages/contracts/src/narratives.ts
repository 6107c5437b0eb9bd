import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { citation } from './evidence.js'
import { LIMITS } from './limits.js'
import {
  endParam,
  filledText,
  id,
  limitParam,
  pageQuery,
  sourceReference,
  startParam,
  text,
  time,
} from './primitives.js'

const part = z.string().min(1).max(LIMITS.tripletPartMax)

/** Required shape of the AI provider's answer. */
export const extraction = z.strictObject({
  triplets: z.array(z.strictObject({ subject: part, verb: part, object: part })).max(LIMITS.tripletsMax),
})
export type Extraction = z.output<typeof extraction>

export const triplet = z.strictObject({
  id: z.int(),
  subject: z.string(),
  verb: z.string(),
  object: z.string(),
  narrative_data: z.strictObject({ src: z.string().nullable() }),
})
export type Triplet = z.output<typeof triplet>

export const narrative = z.strictObject({
  id,
  text: z.string(),
  src: z.string().nullable(),
  triplets: z.array(triplet),
})
export type Narrative = z.output<typeof narrative>

/** A text whose extraction is in progress. */
export const openNarrative = z.strictObject({
  id,
  /** Beginning of the text, at most `LIMITS.openNarrativeTextMax` characters. */
  text: z.string(),
  text_length: z.int(),
  src: z.string().nullable(),
  created_at: time,
  /** Number of parts that a long text is split into, and of parts done; null before extraction starts. */
  progress: z.strictObject({ done: z.int(), parts: z.int() }).nullable(),
})
export type OpenNarrative = z.output<typeof openNarrative>

export const narrativesApi = {
  listNarratives: endpoint('user', 'GET /narratives/data', {
    scopes: ['read'],
    summary:
      "The caller's analyzed narratives, newest first; with q those whose text contains it, in any case",
    query: z.strictObject({ q: text(LIMITS.searchMax).optional(), ...pageQuery }),
    response: z.array(narrative),
  }),
  listOpenNarratives: endpoint('user', 'GET /narratives/open', {
    scopes: ['read'],
    summary: "The caller's texts in extraction, newest first, with their progress; 100 without a limit",
    query: z.strictObject(pageQuery),
    response: z.array(openNarrative),
  }),
  createNarrative: endpoint('user', 'POST /narratives', {
    scopes: ['contribute'],
    summary: "Extract triplets from a text with the caller's own AI key",
    body: z.strictObject({
      text: filledText(LIMITS.narrativeTextMax),
      // The form sends an empty string for a blank optional field.
      src: z.union([z.literal('').transform(() => null), sourceReference]).nullish(),
    }),
    response: z.strictObject({ id, triplets_extracted: z.int() }),
    status: 201,
    waits: true,
  }),
  getNarrative: endpoint('user', 'GET /narratives/data/:id', {
    scopes: ['read'],
    summary: "One of the caller's analyzed narratives",
    params: z.strictObject({ id }),
    response: narrative,
  }),
  listCitations: endpoint('user', 'GET /narratives/data/:id/citations', {
    scopes: ['read'],
    summary:
      "Positions of the triplets in one of the caller's narratives; triplets that are not found are omitted",
    params: z.strictObject({ id }),
    response: z.array(citation),
  }),
  deleteNarrative: endpoint('user', 'DELETE /narratives/data/:id', {
    summary: "Delete one of the caller's narratives",
    params: z.strictObject({ id }),
    response: z.strictObject({ id }),
  }),
  restoreNarrative: endpoint('user', 'POST /narratives/data/:id/restore', {
    summary:
      'Restore a narrative that the caller deleted less than a minute ago; 404 after that, 409 if it is not deleted',
    params: z.strictObject({ id }),
    response: z.strictObject({ id }),
  }),
} as const

/** Empty and white-space filters count as absent. */
const optionalFilter = <T extends z.ZodType>(schema: T) =>
  z.preprocess(
    value => (typeof value === 'string' && value.trim() === '' ? undefined : value),
    schema.optional(),
  )

export const graphNode = z.strictObject({
  id: z.string(),
  label: z.string(),
  type: z.enum(['entity', 'verb']),
  count: z.int(),
  sources: z.array(z.string()),
})
export type GraphNode = z.output<typeof graphNode>
export const graphLink = z.strictObject({
  source: z.string(),
  target: z.string(),
  type: z.enum(['subject_to_verb', 'verb_to_object']),
  count: z.int(),
  sources: z.array(z.string()),
})
export type GraphLink = z.output<typeof graphLink>
export const graph = z.strictObject({
  nodes: z.array(graphNode),
  links: z.array(graphLink),
  sources: z.array(z.string()),
  /** With `limit`: the number of matches of each kind, including omitted ones. */
  totals: z.strictObject({ entities: z.int(), verbs: z.int(), nodes: z.int(), links: z.int() }).optional(),
})
export type Graph = z.output<typeof graph>

/** A part of a text, in UTF-16 code units from `start` up to `end`. */
export const textPlace = z.strictObject({ start: z.int(), end: z.int() })
export type TextPlace = z.output<typeof textPlace>

/** A narrative that contains a link. */
export const graphText = z.strictObject({
  id,
  src: z.string().nullable(),
  created_at: time,
  /** The sentence that contains most of the triplet, truncated around it if long. */
  sentence: z.string(),
  place: textPlace,
})
export type GraphText = z.output<typeof graphText>

/** A triplet of a text in the graph. */
export const graphTriplet = triplet.omit({ narrative_data: true })

/** A narrative that contains a node. */
export const graphMention = z.strictObject({
  /** Id of the narrative. */
  id,
  src: z.string().nullable(),
  created_at: time,
  /** The triplets with the node, equal ones once, at most `LIMITS.mentionTripletsMax`. */
  triplets: z.array(
    z.strictObject({
      ...graphTriplet.shape,
      /** Number of occurrences in the narrative. */
      times: z.int(),
      /** The sentence that contains most of the triplet, truncated around it if long. */
      sentence: z.string(),
      place: textPlace,
    }),
  ),
  /** Number of further triplets with the node. */
  omitted: z.int(),
})
export type GraphMention = z.output<typeof graphMention>

const graphSelection = {
  user_id: optionalFilter(id),
  start_date: optionalFilter(startParam),
  end_date: optionalFilter(endParam),
  source: optionalFilter(text()),
  /** Nodes are the clusters of the canonical narratives. */
  canonical: z.enum(['true', 'false']).optional(),
}
const nodeId = text().regex(/^(entity|verb):/, 'must be the id of a node')

export const graphApi = {
  getTriplets: endpoint('user', 'GET /graph/triplets', {
    scopes: ['read'],
    summary:
      'Triplets as a graph, filtered; with limit the strongest nodes, the strongest links among them, and totals',
    query: z.strictObject({
      ...graphSelection,
      entity: optionalFilter(text()),
      verb: optionalFilter(text()),
      limit: limitParam(LIMITS.graphNodesMax).optional(),
    }),
    response: graph,
  }),
  listTexts: endpoint('user', 'GET /graph/texts', {
    scopes: ['read'],
    summary:
      "The caller's narratives that contain a link of their graph, newest first, each with its sentence; 404 for another user's user_id",
    query: z.strictObject({ ...graphSelection, ...pageQuery, from: nodeId, to: nodeId }),
    response: z.array(graphText),
  }),
  listMentions: endpoint('user', 'GET /graph/mentions', {
    scopes: ['read'],
    summary:
      "The caller's narratives with a node of their graph, newest first, each with its triplets and their sentences; 404 for another user's user_id",
    query: z.strictObject({
      ...graphSelection,
      ...pageQuery,
      limit: limitParam(LIMITS.mentionsMax).optional(),
      node: nodeId,
    }),
    response: z.array(graphMention),
  }),
} as const
