import { z } from 'zod'
import { dayFilters } from './analytics-filters.js'
import { endpoint, internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { graphTriplet, textPlace } from './narratives.js'
import { done, filledText, id, limitParam, pageQuery, text, time } from './primitives.js'
import {
  CANON_KINDS,
  CANON_METHODS,
  CANON_PARTS,
  CANON_REASONS,
  CANON_RELATIONS,
  EXTRACTION_FAILURES,
  MERGE_SCOPES,
} from './vocabulary.js'

/** One of the three parts of a canonical narrative: variants with the same meaning. */
const canonicalPart = z.strictObject({
  /** Id of the cluster: the hash of its smallest key. */
  cluster: id,
  /** The most frequent variant. */
  label: z.string(),
  /** Number of variants, folded. */
  members: z.int(),
})
export type CanonicalPart = z.output<typeof canonicalPart>

const reach = {
  /** Number of cited sentences that express it; several triplets of one sentence count once. */
  sentences: z.int(),
  /** Number of distinct sources; texts without a source do not count. */
  sources: z.int(),
  /**
   * Meaning of `since` and `last`. `posted`: posting times, of the texts whose source is one of the user's records with
   * a time. `analyzed`: times of the analysis, if no text has a posting time. The two never mix.
   */
  clock: z.enum(['posted', 'analyzed']),
  /** Number of sentences with such a time. */
  dated: z.int(),
  /** Times of the first and the last text with such a time. */
  since: time,
  last: time,
}

/** A statement that sentences express in different words: subject, verb and object as clusters of labels. */
export const canonicalNarrative = z.strictObject({
  /** The hash of its three clusters. */
  id,
  subject: canonicalPart,
  verb: canonicalPart,
  object: canonicalPart,
  ...reach,
  /** Number of its triplets, also those whose sentence is not found. */
  triplets: z.int(),
  /** Dated sentences in equal time spans from `since` to `last`. Empty if both are on one day, and for all users. */
  over_time: z.array(z.int()),
  /** Number of owners whose texts express it; null for the narratives of one user. */
  owners: z.int().nullable(),
})
export type CanonicalNarrative = z.output<typeof canonicalNarrative>

/** A variant of a cluster. */
const canonicalMember = z.strictObject({
  /** Folded label. */
  key: z.string(),
  /** The most frequent variant. */
  label: z.string(),
  /**
   * Number of this narrative's triplets with it; the numbers of a part add up to `triplets`. 0: only other narratives
   * have it.
   */
  times: z.int(),
  /** Reason for its membership; null for a cluster of one label. */
  why: z.enum(CANON_REASONS).nullable(),
})
export type CanonicalVariant = z.output<typeof canonicalMember>

const memberList = z.array(canonicalMember)

export const canonicalDetail = canonicalNarrative.extend({
  /** Variants of each part, most frequent first; those that only other narratives have come last. */
  members: z.strictObject({ subject: memberList, verb: memberList, object: memberList }),
  /** Dated sentences of each day with any (UTC), oldest first. */
  days: z.array(z.strictObject({ day: z.iso.date(), sentences: z.int() })),
  /** Most sentences first; null: texts without a source. */
  by_source: z.array(z.strictObject({ src: z.string().nullable(), sentences: z.int(), triplets: z.int() })),
})
export type CanonicalDetail = z.output<typeof canonicalDetail>

/** A sentence that expresses a canonical narrative. */
export const canonicalSentence = z.strictObject({
  /** Id of the text: a narrative of `GET /narratives/data/:id`. */
  narrative_id: id,
  src: z.string().nullable(),
  /** Posting time of the source, by one of the user's records; null if none has it. */
  posted_at: time.nullable(),
  created_at: time,
  /** Position of the sentence in the text; null if the triplet's words are not found. */
  place: textPlace.nullable(),
  /** The text at that position, and the text before and after it, at most `LIMITS.excerptMax` units each. */
  before: z.string(),
  sentence: z.string(),
  after: z.string(),
  /** Length of the whole text, in UTF-16 units. */
  text_length: z.int(),
  /** The triplets as they were extracted. */
  triplets: z.array(graphTriplet),
})
export type CanonicalSentence = z.output<typeof canonicalSentence>

/** A user's decision: a merge of narratives, or a split of variants. */
export const canonicalDecision = z.strictObject({
  id,
  at: time,
  action: z.enum(['merge', 'split']),
  /** Joined or separated labels, by kind. */
  changes: z.array(
    z.strictObject({ kind: z.enum(CANON_KINDS), left: z.array(z.string()), right: z.array(z.string()) }),
  ),
  /** Subject, verb and object of the narrative that a merge is limited to. Null: it applies to all narratives. */
  narrative: z.array(z.string()).nullable(),
  undone_at: time.nullable(),
})
export type CanonicalDecision = z.output<typeof canonicalDecision>

export const canonicalState = z.strictObject({
  /** Some texts or decisions are not in the clusters yet. Until then each new label is a cluster. */
  pending: z.boolean(),
  /** Method of the last comparison of labels. */
  method: z.enum(CANON_METHODS),
  /** A comparison by meaning is pending. */
  comparing: z.boolean(),
  /** Failure of the last requested comparison by meaning; null without one. Words were compared instead. */
  failure: z.enum(EXTRACTION_FAILURES).nullable(),
  /** Rules that the decisions use, and their limit. */
  rules: z.strictObject({ used: z.int(), limit: z.int() }),
})
export type CanonicalState = z.output<typeof canonicalState>

const owner = { user_id: id.optional() }
const one = z.strictObject({ id })

export const canonicalApi = {
  listCanonical: endpoint('user', 'GET /narratives/canonical', {
    scopes: ['read'],
    summary:
      'Canonical narratives by reach (sentences × sources); with q, those with a variant that contains it. Of a user with a public profile; with scope=all, those in the texts of at least three such users. 100 without a limit',
    query: z.strictObject({
      q: text(LIMITS.searchMax).optional(),
      scope: z.enum(['own', 'all']).optional(),
      ...owner,
      ...pageQuery,
    }),
    response: z.array(canonicalNarrative),
  }),
  getCanonicalState: endpoint('user', 'GET /narratives/canonical/state', {
    scopes: ['read'],
    summary: 'Whether the clusters of the caller are up to date, and how variants were compared',
    response: canonicalState,
  }),
  compareByMeaning: endpoint('user', 'POST /narratives/canonical/compare', {
    scopes: ['contribute'],
    summary:
      "Compare the caller's variants by meaning, once, with the AI provider and the caller's key; only variants are sent. The resulting merges are kept; a failure is in the state",
    response: done,
  }),
  listDecisions: endpoint('user', 'GET /narratives/canonical/history', {
    scopes: ['read'],
    summary: 'The caller’s merges and splits, newest first; 100 without a limit',
    query: z.strictObject(pageQuery),
    response: z.array(canonicalDecision),
  }),
  undoDecision: endpoint('user', 'POST /narratives/canonical/history/:id/undo', {
    scopes: ['contribute'],
    summary: 'Undo one of the caller’s decisions; 409 if it is already undone',
    params: one,
    response: done,
  }),
  getCanonical: endpoint('user', 'GET /narratives/canonical/:id', {
    scopes: ['read'],
    summary: 'A canonical narrative with its variants, days and sources',
    params: one,
    query: z.strictObject(owner),
    response: canonicalDetail,
  }),
  listCanonicalSentences: endpoint('user', 'GET /narratives/canonical/:id/sentences', {
    scopes: ['read'],
    summary:
      "The sentences of the caller's texts that contain a canonical narrative, newest first; with source, those of one source, or of texts without one if empty. 404 for another user's user_id. 20 without a limit",
    params: one,
    query: z.strictObject({
      ...owner,
      source: text().optional(),
      /** Days of the analysis. */
      ...dayFilters,
      limit: limitParam(LIMITS.canonicalSentencesMax).optional(),
      cursor: pageQuery.cursor,
    }),
    response: z.array(canonicalSentence),
  }),
  mergeCanonical: endpoint('user', 'POST /narratives/canonical/:id/merge', {
    scopes: ['contribute'],
    summary:
      'Merge two canonical narratives, part by part, in all narratives with these variants; with scope=narrative, merge only these two. Returns the resulting id. 409 if decisions contradict the merge',
    params: one,
    body: z.strictObject({ with: id, scope: z.enum(MERGE_SCOPES).default('all') }),
    response: z.strictObject({ id, decision: id }),
  }),
  previewMerge: endpoint('user', 'GET /narratives/canonical/:id/merge', {
    scopes: ['read'],
    summary:
      'The other narratives that a merge in all narratives would change, by reach: those with a variant of a differing part. 100 without a limit',
    params: one,
    query: z.strictObject({ with: id, ...pageQuery }),
    response: z.array(canonicalNarrative),
  }),
  splitCanonical: endpoint('user', 'POST /narratives/canonical/:id/split', {
    scopes: ['contribute'],
    summary:
      'Split variants of a part from its others; returns the narrative’s resulting id. 409 if decisions contradict the split',
    params: one,
    body: z.strictObject({
      part: z.enum(CANON_PARTS),
      /** Keys of the variants to split off, not all of the part. */
      members: z.array(filledText(LIMITS.canonKeyMax)).min(1).max(LIMITS.splitMembersMax),
      /** Whether the variants split off form one cluster. */
      together: z.boolean().default(true),
    }),
    response: z.strictObject({ id, decision: id }),
  }),
} as const

/** Clusters of two or more labels, by key. `turned`: a verb that exchanges subject and object. */
const clusters = z.array(
  z
    .array(
      z.strictObject({
        key: z.string().max(LIMITS.canonKeyMax),
        why: z.enum(CANON_REASONS),
        turned: z.boolean(),
      }),
    )
    .min(2),
)

/** Served by the narratives service to the worker that compares labels. */
export const canonInternal = {
  getCanonWork: internalEndpoint('GET /internal/canon/:user_id/work', {
    summary: 'The distinct triplets of a user and the user’s decisions; 404 if the clusters are up to date',
    params: z.strictObject({ user_id: id }),
    response: z.strictObject({
      /** Revisions of the decisions and the texts, to be returned with the result. */
      revision: z.int(),
      texts: z.int(),
      triplets: z.array(z.strictObject({ subject: z.string(), verb: z.string(), object: z.string() })),
      rules: z.array(
        z.strictObject({
          kind: z.enum(CANON_KINDS),
          a: z.string(),
          b: z.string(),
          relation: z.enum(CANON_RELATIONS),
        }),
      ),
      /** Labels that a comparison by meaning has joined. */
      alike: z.array(z.strictObject({ kind: z.enum(CANON_KINDS), a: z.string(), b: z.string() })).optional(),
      /** The user has requested a comparison by meaning. */
      compare: z.boolean().optional(),
    }),
  }),
  applyCanon: internalEndpoint('POST /internal/canon/:user_id', {
    summary: 'Store clusters; false if the user made a decision after the triplets were read. Idempotent',
    params: z.strictObject({ user_id: id }),
    body: z.strictObject({
      revision: z.int(),
      texts: z.int(),
      method: z.enum(CANON_METHODS),
      /** Outcome of a requested comparison by meaning. */
      compared: z.strictObject({ failure: z.enum(EXTRACTION_FAILURES).nullable() }).optional(),
      /** A label in no cluster remains alone. */
      entities: clusters,
      verbs: clusters,
    }),
    response: z.strictObject({ applied: z.boolean() }),
    bodyLimit: LIMITS.canonResultBytes,
  }),
} as const
