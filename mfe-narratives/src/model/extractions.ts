import type { Narrative, OpenNarrative } from '@iodine/contracts'

/** Maximum time to wait for a narrative, in milliseconds. */
export const WAIT_MAX_MS = 15 * 60_000

/** The extraction of a text. */
export interface Extraction {
  text: string
  /** Null if the form's field was blank. */
  src: string | null
  /** Milliseconds since the epoch. */
  startedAt: number
  /**
   * `running`: the request is pending.
   * `waiting`: the request ended (a timeout, a reload), but the server continues.
   * `overdue`: no narrative arrived within `WAIT_MAX_MS`.
   */
  phase: 'running' | 'waiting' | 'overdue'
  /** Ids of narratives of the same text that existed before. */
  knownIds: string[]
}

/**
 * A user's extractions in progress, kept in `storage` to survive a reload. There is one instance per page
 * load and user, because a request continues while another section is displayed.
 */
export function createExtractions(storage: Storage, key: string, now: () => number = Date.now) {
  let state: readonly Extraction[] = read(storage, key).map(extraction =>
    extraction.phase === 'running' ? { ...extraction, phase: 'waiting' } : extraction,
  )
  const listeners = new Set<() => void>()
  const set = (next: readonly Extraction[]) => {
    state = next
    write(storage, key, state)
    for (const listener of listeners) listener()
  }
  const same = (a: Extraction, b: Extraction) => isOf(a, b.text, b.src) && a.startedAt === b.startedAt
  const setPhase = (extraction: Extraction, phase: Extraction['phase']) =>
    set(state.map(item => (same(item, extraction) ? { ...item, phase } : item)))
  /** Removes an extraction that succeeded, failed or was cancelled. */
  const end = (extraction: Extraction) => set(state.filter(item => !same(item, extraction)))
  const isUnderWay = (text: string, src: string | null) =>
    state.some(item => item.phase !== 'overdue' && isOf(item, text, src))

  return {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    isUnderWay,
    /** False after the extraction has ended or was cancelled by the user. */
    has: (extraction: Extraction) => state.some(item => same(item, extraction)),
    /** Adds an extraction; null if one of the same text and source is in progress. */
    start: (text: string, src: string | null, listed: readonly Narrative[]): Extraction | null => {
      if (isUnderWay(text, src)) return null
      const knownIds = listed.filter(item => isOf(item, text, src)).map(item => item.id)
      const extraction: Extraction = { text, src, startedAt: now(), phase: 'running', knownIds }
      set([extraction, ...state.filter(item => !isOf(item, text, src))])
      return extraction
    },
    /** Marks an extraction whose request timed out: `settle` will find its narrative. */
    wait: (extraction: Extraction) => setPhase(extraction, 'waiting'),
    end,
    /** Removes the extractions whose narratives are in the list, and returns both. */
    settle: (listed: readonly Narrative[]) => {
      const settled: { extraction: Extraction; narrative: Narrative }[] = []
      for (const extraction of state) {
        if (extraction.phase === 'running') continue
        const narrative = listed.find(
          item => isOf(item, extraction.text, extraction.src) && !extraction.knownIds.includes(item.id),
        )
        if (narrative) {
          settled.push({ extraction, narrative })
          end(extraction)
        } else if (extraction.phase === 'waiting' && now() - extraction.startedAt > WAIT_MAX_MS) {
          setPhase(extraction, 'overdue')
        }
      }
      return settled
    },
  }
}

export type Extractions = ReturnType<typeof createExtractions>

const isOf = (item: { text: string; src: string | null }, text: string, src: string | null) =>
  item.text === text && (item.src || null) === (src || null)

/** Returns the server's state of an extraction, matched by source, and by beginning and length of the text. */
export const openOf = (
  { text, src }: Extraction,
  opened: readonly OpenNarrative[],
): OpenNarrative | undefined =>
  opened.find(
    open =>
      open.text_length === text.length &&
      open.text === text.slice(0, open.text.length).toWellFormed() &&
      (open.src || null) === (src || null),
  )

function read(storage: Storage, key: string): Extraction[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? '[]')
    return Array.isArray(stored) ? (stored as Extraction[]) : []
  } catch {
    return []
  }
}

/** If the storage is full, a reload loses the extractions. */
function write(storage: Storage, key: string, state: readonly Extraction[]) {
  try {
    if (state.length > 0) storage.setItem(key, JSON.stringify(state))
    else storage.removeItem(key)
  } catch {
    storage.removeItem(key)
  }
}
