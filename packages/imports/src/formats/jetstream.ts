import { at, textAt, timeFrom } from '../json/fields.js'
import { lineValues } from '../json/values.js'
import { type DraftRecord, filled } from '../records/of-draft.js'
import { linesOf } from '../text/lines.js'
import type { Answers, Item, Warning } from '../types.js'
import { blueskyRecord } from './bluesky.js'

/* Events of Bluesky's Jetstream (bluesky-social/jetstream). Only `identity` events have handles. */

/** Posts that wait for the handles of their authors. */
const HELD_MAX = 5_000

interface Event {
  did: string
  kind: string
  time: unknown
  commit: unknown
}

/** Returns an event in the form of older versions; newer ones have a `payload`. */
const eventOf = (frame: unknown): Event => {
  const payload = at(frame, 'payload')
  const inner = payload ?? frame
  const type = textAt(frame, '$type') ?? ''
  const kind = textAt(frame, 'kind') ?? /(identity|account)/i.exec(type)?.[1]?.toLowerCase() ?? 'commit'
  return {
    did: textAt(inner, 'did') ?? '',
    kind,
    time: at(inner, 'time_us') ?? at(inner, 'time') ?? at(frame, 'time_us'),
    commit: at(inner, 'commit') ?? inner,
  }
}

interface Post {
  did: string
  at: number
  warnings: Set<Warning>
  make: (handle: string | undefined) => DraftRecord
}

const readEvent = (event: Event, line: number, answers: Answers): Post | Item => {
  const { did, kind, time, commit } = event
  const [collection, rkey] = [textAt(commit, 'collection'), textAt(commit, 'rkey')]
  const operation = textAt(commit, 'operation')
  if (kind !== 'commit' || collection === undefined) return { skipped: 'not-a-post', line }
  if (collection !== 'app.bsky.feed.post') return { skipped: 'not-a-post', line }
  if (operation === 'delete') return { skipped: 'deletion', line }
  if (!did || !rkey) return { skipped: 'no-id', line }
  const record = at(commit, 'record')
  if (record === undefined) return { skipped: 'no-content', line }
  const warnings = new Set<Warning>()
  const fetched = timeFrom(time, { warnings })
  const post = {
    uri: `at://${did}/${collection}/${rkey}`,
    record,
    indexed: fetched,
    edited_at: operation === 'update' ? fetched : undefined,
  }
  const origin = { fetched: fetched ?? answers.file_time, by: 'jetstream' }
  const make = (handle: string | undefined) =>
    blueskyRecord({ ...post, author: filled({ handle }) }, { warnings }, origin)
  return { did, at: line, warnings, make }
}

/**
 * Reads events, one a line. A post has its author's handle if an identity event is among the 5,000 posts before or after
 * it.
 */
export async function* readJetstream(
  texts: AsyncIterable<string>,
  answers: Answers,
): AsyncGenerator<Item, void, undefined> {
  const handles = new Map<string, string>()
  const held: Post[] = []
  const item = ({ did, at: line, warnings, make }: Post) =>
    ({
      ...make(handles.get(did)),
      at: line,
      timed: true,
      ...(warnings.size > 0 && { warnings: [...warnings] }),
    }) as Item
  for await (const found of lineValues(linesOf(texts))) {
    if ('fault' in found) {
      yield { skipped: 'broken-line', line: found.at }
      continue
    }
    const event = eventOf(found.value)
    const handle = textAt(found.value, 'identity', 'handle') ?? textAt(found.value, 'payload', 'handle')
    if (event.kind === 'identity' && handle && handle !== 'handle.invalid') handles.set(event.did, handle)
    const post = readEvent(event, found.at, answers)
    if (!('make' in post)) yield post
    else {
      held.push(post)
      if (held.length > HELD_MAX) yield item(held.shift() as Post)
    }
  }
  for (const post of held) yield item(post)
}
