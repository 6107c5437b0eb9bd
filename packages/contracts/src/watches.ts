import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { iodFilters } from './iods.js'
import { LIMITS } from './limits.js'
import { filledText, id, text, time } from './primitives.js'
import { isHttpUrl, WATCH_CHANNELS, WATCH_KINDS, WATCHED_SUBJECTS, WATCHED_TEXTS } from './vocabulary.js'

const byId = z.strictObject({ id })

/** Filters of the list of IODs. The list’s order is accepted and ignored. */
const watchedSearch = z
  .strictObject({ ...iodFilters, sort: text(20).optional() })
  .transform(({ sort: _, ...filters }) => filters)
  .refine(filters => Object.values(filters).some(value => value?.length), 'must have a filter')
export type WatchedSearch = z.output<typeof watchedSearch>

const name = filledText(LIMITS.watchNameMax)
/** Channels of a watch in addition to the bell, in effect once the user has set them up. */
const channels = z
  .array(z.enum(WATCH_CHANNELS))
  .max(WATCH_CHANNELS.length)
  .refine(given => new Set(given).size === given.length, 'must name each once')
const common = { name: name.optional(), channels: channels.default([...WATCH_CHANNELS]) }

export const newWatch = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(WATCHED_SUBJECTS), subject_id: id, ...common }),
  z.strictObject({ kind: z.literal('search'), search: watchedSearch, ...common }),
  z.strictObject({
    kind: z.literal('url'),
    text: filledText(LIMITS.watchTextMax).refine(isHttpUrl, 'must be an http(s) URL'),
    ...common,
  }),
  z.strictObject({
    kind: z.enum(WATCHED_TEXTS).exclude(['url']),
    text: filledText(LIMITS.watchTextMax),
    ...common,
  }),
])
export type NewWatch = z.output<typeof newWatch>

export const watch = z.strictObject({
  id,
  kind: z.enum(WATCH_KINDS),
  /** IOD, campaign or user; null for other kinds. */
  subject_id: id.nullable(),
  /** Filters of a search; null for other kinds. */
  search: z.looseObject(iodFilters).nullable(),
  /** Term, URL or text in records; null for other kinds. */
  text: z.string().nullable(),
  /** By default the title of the subject at creation, the filters, or the text. */
  name: z.string(),
  channels: z.array(z.enum(WATCH_CHANNELS)),
  paused: z.boolean(),
  created_at: time,
})
export type Watch = z.output<typeof watch>

export const watchesApi = {
  listWatches: endpoint('user', 'GET /watches', {
    scopes: ['read'],
    summary: `The caller's watches, newest first: at most ${LIMITS.watchesMax}`,
    response: z.array(watch),
  }),
  createWatch: endpoint('user', 'POST /watches', {
    scopes: ['contribute'],
    summary:
      'Watch an IOD, a campaign, a user, a search of IODs, or a term, URL or text in own and shared records. ' +
      `200 with the watch of the same subject, if there is one; 413 with ${LIMITS.watchesMax} watches`,
    body: newWatch,
    response: watch,
    status: 201,
    knownStatus: 200,
  }),
  updateWatch: endpoint('user', 'PATCH /watches/:id', {
    scopes: ['contribute'],
    summary: 'Rename, pause or resume a watch, or change its channels',
    params: byId,
    body: z.strictObject({
      name: name.optional(),
      channels: channels.optional(),
      paused: z.boolean().optional(),
    }),
    response: watch,
  }),
  deleteWatch: endpoint('user', 'DELETE /watches/:id', {
    summary: 'Delete a watch with its notifications',
    params: byId,
    response: byId,
  }),
} as const
