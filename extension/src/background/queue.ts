import {
  type CollectedSource,
  type IngestResult,
  isRemovalNotice,
  LIMITS,
  mergeRecords,
  naturalKey,
  observed,
  RECORD_SCHEMAS,
} from '@iodine/contracts'
import type { Outcome, Refusal, Totals } from '../shared/messages'
import type { Captured } from '../sources'
import { type Database, type QueuedRecord, recordId, trim } from './database'

const BATCH_RECORDS_MAX = 100
const BATCH_CHARACTERS_MAX = LIMITS.ingestBodyBytes / 8
const ACKNOWLEDGED_MAX = 10_000
const OUTCOMES_MAX = 100

interface QueueSummary {
  waiting: number
  waitingForOthers: number
  refused: Refusal[]
  totals: Totals
  recent: Outcome[]
}

/**
 * The queue of captured records. A record is durable before `add` resolves, and is kept until the server
 * responds.
 */
export class Queue {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /**
   * Adds records. Newer content is merged into a queued record. A record whose content the server has acknowledged
   * is skipped; with `resend` it is sent again with its old time. The server responds 'unchanged', or stores a deleted
   * record again. After a removal notice, acknowledged content counts as new.
   * @returns `records`: by position, the record in the form in which it is sent; undefined if it is invalid
   */
  async add(
    owner: string,
    captured: readonly Captured[],
    { resend }: { resend: boolean },
  ): Promise<{ queued: number; invalid: string[]; records: (Captured['record'] | undefined)[] }> {
    const entries: QueuedRecord[] = []
    const invalid: string[] = []
    const entryAt = new Map<number, QueuedRecord>()
    for (const [position, { source, record }] of captured.entries()) {
      const parsed = RECORD_SCHEMAS[source].safeParse(record)
      if (!parsed.success)
        for (const issue of parsed.error.issues)
          invalid.push(
            ...('keys' in issue ? issue.keys : ['']).map(key =>
              [...issue.path, key].join('.').replace(/\.$/, ''),
            ),
          )
      else {
        const entry = await entryOf(owner, { source, record })
        entries.push(entry)
        entryAt.set(position, entry)
      }
    }
    const write = this.#database.transaction(['records', 'acknowledged'], 'readwrite', {
      durability: 'strict',
    })
    const queue = write.objectStore('records')
    let queued = 0
    for (const entry of entries) {
      const waiting = await queue.index('id').get(entry.id)
      const acknowledged = await write.objectStore('acknowledged').get(entry.id)
      const isNotice = isRemovalNotice(entry.record)
      // The next full reading of the post is sent, even if unchanged: only its time clears the removal.
      if (isNotice && acknowledged)
        await write.objectStore('acknowledged').put({ ...acknowledged, digest: '' })
      if (waiting?.state === 'waiting' && waiting.digest === entry.digest) {
        entry.record = waiting.record
        queued += resend ? 1 : 0
        continue
      }
      if (!waiting && acknowledged?.digest === entry.digest) {
        entry.record.collector_metadata.fetch_timestamp = acknowledged.time
        if (!resend) continue
      }
      // For equal times, the later reading wins. The digest remains that of the new content, to detect repeats.
      if (waiting && (isNotice || waiting.state === 'waiting'))
        entry.record = mergeRecords(observed(entry.record), observed(waiting.record)).record
      // A removal keeps the record's state and the server's reason.
      if (isNotice && waiting?.state === 'refused')
        Object.assign(entry, { state: waiting.state, reason: waiting.reason })
      await queue.put(waiting?.seq === undefined ? entry : { ...entry, seq: waiting.seq })
      queued += entry.state === 'waiting' ? 1 : 0
    }
    await write.done
    const records = captured.map((_, position) => entryAt.get(position)?.record)
    return { queued, invalid: [...new Set(invalid)], records }
  }

  /** Returns when this browser last collected a post (ISO time); undefined if unknown. */
  async collectedAt(owner: string, captured: Captured): Promise<string | undefined> {
    const id = recordId(owner, captured.source, keyOf(captured))
    const waiting = await this.#database.getFromIndex('records', 'id', id)
    return waiting && !isRemovalNotice(waiting.record)
      ? waiting.record.collector_metadata.fetch_timestamp
      : (await this.#database.get('acknowledged', id))?.time
  }

  /** Returns the oldest queued records of one source that fit into one request. */
  async next(owner: string, max = BATCH_RECORDS_MAX): Promise<QueuedRecord[]> {
    const batch: QueuedRecord[] = []
    let characters = 0
    const range = IDBKeyRange.only([owner, 'waiting'])
    let cursor = await this.#database.transaction('records').store.index('by-state').openCursor(range)
    for (; cursor && batch.length < max; cursor = await cursor.continue()) {
      const entry = cursor.value
      if (batch[0] && entry.source !== batch[0].source) continue
      characters += JSON.stringify(entry.record).length
      if (batch.length > 0 && characters > BATCH_CHARACTERS_MAX) break
      batch.push(entry)
    }
    return batch
  }

  /** Records the server's results for a batch, in its order. */
  async complete(batch: readonly QueuedRecord[], results: readonly IngestResult[]): Promise<void> {
    const at = new Date()
    const write = this.#database.transaction(
      ['records', 'acknowledged', 'outcomes', 'settings'],
      'readwrite',
      {
        durability: 'strict',
      },
    )
    const records = write.objectStore('records')
    const acknowledged = write.objectStore('acknowledged')
    const outcomes = write.objectStore('outcomes')
    const totals = {
      ...NO_TOTALS,
      ...((await write.objectStore('settings').get('totals')) as Totals | undefined),
    }
    for (const [position, sent] of batch.entries()) {
      const result = results[position]
      if (!result || sent.seq === undefined) continue
      const now = await records.get(sent.seq)
      // Newer content that was added during the request stays in the queue.
      const isSame = now?.version === sent.version
      const isNotice = isRemovalNotice(sent.record)
      if ('error' in result && isNotice) {
        // The server has no record to mark as removed.
        if (isSame) await records.delete(sent.seq)
        continue
      }
      if ('error' in result) {
        const reason = [result.error].flat().join(', ')
        if (isSame) await records.put({ ...sent, state: 'refused', reason })
        continue
      }
      if (isSame) await records.delete(sent.seq)
      const time = sent.record.collector_metadata.fetch_timestamp
      const known = isNotice ? await acknowledged.get(sent.id) : undefined
      if (known) await acknowledged.put({ ...known, digest: '' })
      if (!isNotice) await acknowledged.put({ id: sent.id, digest: sent.digest, time, at: at.getTime() })
      totals[result.status] += 1
      await outcomes.put({
        owner: sent.owner,
        source: sent.source,
        key: keyOf(sent),
        result: result.status,
        at: at.toISOString(),
      })
    }
    await write.objectStore('settings').put(totals, 'totals')
    await trim(outcomes, OUTCOMES_MAX)
    await trim(acknowledged.index('at'), ACKNOWLEDGED_MAX)
    await write.done
  }

  async retryRefused(owner: string): Promise<void> {
    const write = this.#database.transaction('records', 'readwrite')
    for (const { reason: _, ...entry } of await write.store.index('by-state').getAll([owner, 'refused']))
      await write.store.put({ ...entry, state: 'waiting' })
    await write.done
  }

  async discardRefused(owner: string): Promise<void> {
    const write = this.#database.transaction('records', 'readwrite')
    for (const key of await write.store.index('by-state').getAllKeys([owner, 'refused']))
      await write.store.delete(key)
    await write.done
  }

  /** Deletes the records of other accounts. */
  async discardOthers(owner: string): Promise<void> {
    const write = this.#database.transaction('records', 'readwrite')
    let cursor = await write.store.openCursor()
    for (; cursor; cursor = await cursor.continue()) if (cursor.value.owner !== owner) await cursor.delete()
    await write.done
  }

  async summary(owner: string): Promise<QueueSummary> {
    const read = this.#database.transaction(['records', 'outcomes', 'settings'])
    const byState = read.objectStore('records').index('by-state')
    const [all, waiting, refused, outcomes, totals] = await Promise.all([
      read.objectStore('records').count(),
      byState.count([owner, 'waiting']),
      byState.getAll([owner, 'refused']),
      read.objectStore('outcomes').getAll(),
      read.objectStore('settings').get('totals') as Promise<Totals | undefined>,
    ])
    return {
      waiting,
      waitingForOthers: all - waiting - refused.length,
      refused: refused.map(entry => ({
        seq: entry.seq ?? 0,
        source: entry.source,
        key: keyOf(entry),
        reason: entry.reason ?? '',
      })),
      totals: { ...NO_TOTALS, ...totals },
      recent: outcomes
        .filter(outcome => outcome.owner === owner)
        .slice(-5)
        .reverse()
        .map(({ owner: _, ...outcome }) => outcome),
    }
  }
}

const NO_TOTALS: Totals = { created: 0, updated: 0, unchanged: 0 }

const keyOf = <S extends CollectedSource>({ source, record }: Captured<S>): string =>
  (naturalKey[source] as (record: Captured<S>['record']) => string)(record)

const entryOf = async (owner: string, captured: Captured): Promise<QueuedRecord> => {
  const { collector_metadata: _, ...content } = captured.record
  const bytes = new TextEncoder().encode(canonical(content))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return {
    ...structuredClone(captured),
    owner,
    id: recordId(owner, captured.source, keyOf(captured)),
    version: crypto.randomUUID(),
    digest: Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join(''),
    state: 'waiting',
  }
}

/** Returns canonical JSON (sorted keys), which is equal for equal content. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
