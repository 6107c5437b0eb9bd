import { z } from 'zod'
import { endpoint, internalEndpoint } from './endpoint.js'
import { EXTRACTION_FAILURES } from './internal.js'
import { LIMITS } from './limits.js'
import { graphTriplet, textPlace } from './narratives.js'
import { done, filledText, id, limitParam, pageQuery, text, time } from './primitives.js'
import { CANON_KINDS, CANON_METHODS, CANON_PARTS, CANON_REASONS, CANON_RELATIONS } from './vocabulary.js'

/** One of the three parts of a canonical narrative: the spellings that mean the same. */
const canonicalPart = z.strictObject({
  /** Of the cluster: the hash of its smallest key. */
  cluster: id,
  /** The most frequent spelling. */
  label: z.string(),
  /** Labels that it gathers, folded. */
  members: z.int(),
})
export type CanonicalPart = z.output<typeof canonicalPart>

const reach = {
  /** Cited sentences that say it; several triplets of one sentence count once. */
  sentences: z.int(),
  /** Distinct sources; texts without one are none. */
  sources: z.int(),
  /**
   * What `since` and `last` are: `posted`, as the sources say, of those texts whose source is one of the user's records with
   * a time; `analyzed`, when the user had the texts analyzed, where there is none. The two never mix.
   */
  clock: z.enum(['posted', 'analyzed']),
  /** Sentences with such a time. */
  dated: z.int(),
  /** Of its first and its last text with such a time. */
  since: time,
  last: time,
}

/** What many sentences say in different words: subject, verb and object as clusters of labels. */
export const canonicalNarrative = z.strictObject({
  /** The hash of its three clusters. */
  id,
  subject: canonicalPart,
  verb: canonicalPart,
  object: canonicalPart,
  ...reach,
  /** Triplets that it gathers, also those whose sentence is not found. */
  triplets: z.int(),
  /** Dated sentences in equal spans of time from `since` to `last`. Empty if these are of one day, and for all users. */
  over_time: z.array(z.int()),
  /** Owners who say it; null for the narratives of one user. */
  owners: z.int().nullable(),
})
export type CanonicalNarrative = z.output<typeof canonicalNarrative>

/** A label that a cluster gathers. */
const canonicalMember = z.strictObject({
  /** Folded. */
  key: z.string(),
  /** The most frequent spelling. */
  label: z.string(),
  /** Triplets of this narrative with it: those of each part add up to `triplets`. 0: other narratives have it. */
  times: z.int(),
  /** What put it there; null for a label alone. */
  why: z.enum(CANON_REASONS).nullable(),
})
export type CanonicalMember = z.output<typeof canonicalMember>

const memberList = z.array(canonicalMember)

export const canonicalDetail = canonicalNarrative.extend({
  /** Labels of each part, most frequent first, those of other narratives alone last. */
  members: z.strictObject({ subject: memberList, verb: memberList, object: memberList }),
  /** Dated sentences of each day with any (UTC), oldest first. */
  days: z.array(z.strictObject({ day: z.iso.date(), sentences: z.int() })),
  /** Most sentences first; null: texts without a source. */
  by_source: z.array(z.strictObject({ src: z.string().nullable(), sentences: z.int(), triplets: z.int() })),
})
export type CanonicalDetail = z.output<typeof canonicalDetail>

/** A sentence that says a canonical narrative. */
export const canonicalSentence = z.strictObject({
  /** Of the text: a narrative of `GET /narratives/data/:id`. */
  narrative_id: id,
  src: z.string().nullable(),
  /** When the source was posted, as one of the user's records says; null where none does. */
  posted_at: time.nullable(),
  created_at: time,
  /** Of the sentence in the text; null if the words of the triplet are nowhere. */
  place: textPlace.nullable(),
  /** The words at that place, and the words before and after them, `LIMITS.excerptMax` units each at most. */
  before: z.string(),
  sentence: z.string(),
  after: z.string(),
  /** Of all of the text, in UTF-16 units. */
  text_length: z.int(),
  /** The triplets as they were extracted. */
  triplets: z.array(graphTriplet),
})
export type CanonicalSentence = z.output<typeof canonicalSentence>

/** What a user has decided: narratives merged, or members split off. */
export const canonicalDecision = z.strictObject({
  id,
  at: time,
  action: z.enum(['merge', 'split']),
  /** What came together, or was set apart, by kind. */
  changes: z.array(
    z.strictObject({ kind: z.enum(CANON_KINDS), left: z.array(z.string()), right: z.array(z.string()) }),
  ),
  undone_at: time.nullable(),
})
export type CanonicalDecision = z.output<typeof canonicalDecision>

export const canonicalState = z.strictObject({
  /** Texts or decisions are not in the clusters yet. New labels stand alone until then. */
  pending: z.boolean(),
  /** How labels were compared last. */
  method: z.enum(CANON_METHODS),
  /** They are to be compared by their meaning. */
  comparing: z.boolean(),
  /** Why they were compared by their words, when a comparison by meaning was asked for last. */
  failure: z.enum(EXTRACTION_FAILURES).nullable(),
  /** Decisions in rules, of how many. */
  rules: z.strictObject({ used: z.int(), limit: z.int() }),
})
export type CanonicalState = z.output<typeof canonicalState>

const owner = { user_id: id.optional() }
const one = z.strictObject({ id })

export const canonicalApi = {
  listCanonical: endpoint('user', 'GET /narratives/canonical', {
    scopes: ['read'],
    summary:
      'Canonical narratives by reach (sentences × sources); with q those with a spelling that contains it. Of a user with a public profile, or with scope=all those that at least three such users say. 100 without a limit',
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
    summary: 'Whether the clusters of the caller are up to date, and how labels were compared',
    response: canonicalState,
  }),
  compareByMeaning: endpoint('user', 'POST /narratives/canonical/compare', {
    scopes: ['contribute'],
    summary:
      "Have the caller's labels compared by their meaning as well, once, by the AI provider with the caller's key: it gets labels alone. What that joins stays together; a failure is in the state",
    response: done,
  }),
  listDecisions: endpoint('user', 'GET /narratives/canonical/history', {
    scopes: ['read'],
    summary: 'What the caller has merged and split, newest first; 100 without a limit',
    query: z.strictObject(pageQuery),
    response: z.array(canonicalDecision),
  }),
  undoDecision: endpoint('user', 'POST /narratives/canonical/history/:id/undo', {
    scopes: ['contribute'],
    summary: 'Take one of the caller’s decisions back; 409 if it is undone already',
    params: one,
    response: done,
  }),
  getCanonical: endpoint('user', 'GET /narratives/canonical/:id', {
    scopes: ['read'],
    summary: 'One canonical narrative with the spellings it gathers, its days and sources',
    params: one,
    query: z.strictObject(owner),
    response: canonicalDetail,
  }),
  listCanonicalSentences: endpoint('user', 'GET /narratives/canonical/:id/sentences', {
    scopes: ['read'],
    summary:
      "The sentences of the caller's texts that say a canonical narrative, newest first; with source those of one, empty for texts without. 404 for another's user_id. 20 without a limit",
    params: one,
    query: z.strictObject({
      ...owner,
      source: text().optional(),
      limit: limitParam(LIMITS.canonicalSentencesMax).optional(),
      cursor: pageQuery.cursor,
    }),
    response: z.array(canonicalSentence),
  }),
  mergeCanonical: endpoint('user', 'POST /narratives/canonical/:id/merge', {
    scopes: ['contribute'],
    summary:
      'Say that two canonical narratives are the same, part by part; 409 if decisions contradict that. Its id after that',
    params: one,
    body: z.strictObject({ with: id }),
    response: z.strictObject({ id, decision: id }),
  }),
  splitCanonical: endpoint('user', 'POST /narratives/canonical/:id/split', {
    scopes: ['contribute'],
    summary:
      'Say that some members of a part are not what the others are; 409 if decisions contradict that. The narrative’s id after that',
    params: one,
    body: z.strictObject({
      part: z.enum(CANON_PARTS),
      /** Keys of members: not all of them. */
      members: z.array(filledText(LIMITS.canonKeyMax)).min(1).max(LIMITS.splitMembersMax),
      /** Whether those that are split off belong together. */
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

/** Served by the narratives service: labels are compared by a worker, which owns nothing. */
export const canonInternal = {
  getCanonWork: internalEndpoint('GET /internal/canon/:user_id/work', {
    summary:
      'The distinct triplets of a user and what the user has decided; 404 if the clusters are up to date',
    params: z.strictObject({ user_id: id }),
    response: z.strictObject({
      /** Of the decisions, and of the texts: handed back with the result. */
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
      /** The user has asked for a comparison by meaning. */
      compare: z.boolean().optional(),
    }),
  }),
  applyCanon: internalEndpoint('POST /internal/canon/:user_id', {
    summary:
      'Store clusters; false if the user has decided something since the work was read. Repeating it changes nothing',
    params: z.strictObject({ user_id: id }),
    body: z.strictObject({
      revision: z.int(),
      texts: z.int(),
      method: z.enum(CANON_METHODS),
      /** The outcome of a comparison by meaning that was asked for. */
      compared: z.strictObject({ failure: z.enum(EXTRACTION_FAILURES).nullable() }).optional(),
      /** A label in none stands alone. */
      entities: clusters,
      verbs: clusters,
    }),
    response: z.strictObject({ applied: z.boolean() }),
    bodyLimit: LIMITS.canonResultBytes,
  }),
} as const
