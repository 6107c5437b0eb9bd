import type { NarrativeDoc } from '../models/narrative.js'

/** Maximum age of a key: its owner may have replaced it since. */
const KEY_FRESH_MS = 5_000

interface Wait {
  sealedKey: string | undefined
  readAt: number
  waiting: Set<(ended: NarrativeDoc) => void>
}

/** Registry of this process's requests that wait for a narrative's extraction. */
export interface Waits {
  /**
   * Registers a request. `ended` resolves when this process ends the narrative. Another process may end it instead, so
   * the request also has to watch the job.
   * @param sealedKey the user's AI key as the request has just read it
   */
  enter(id: NarrativeDoc['_id'], sealedKey: string): { ended: Promise<NarrativeDoc>; leave(): void }
  /** Returns the sealed AI key of a waiting request, once: a worker's retry reads the key from auth. */
  takeKey(id: string): string | undefined
  end(narrative: NarrativeDoc): void
}

export const createWaits = (): Waits => {
  const waits = new Map<string, Wait>()
  return {
    enter(_id, sealedKey) {
      const id = _id.toHexString()
      const wait = waits.get(id) ?? { sealedKey, readAt: Date.now(), waiting: new Set() }
      waits.set(id, wait)
      let resolveEnd: (ended: NarrativeDoc) => void = () => {}
      const ended = new Promise<NarrativeDoc>(resolve => {
        resolveEnd = resolve
      })
      wait.waiting.add(resolveEnd)
      const leave = () => {
        wait.waiting.delete(resolveEnd)
        if (wait.waiting.size === 0) waits.delete(id)
      }
      return { ended, leave }
    },
    takeKey(id) {
      const wait = waits.get(id)
      const sealedKey = wait?.sealedKey
      if (!wait || Date.now() - wait.readAt > KEY_FRESH_MS) return undefined
      wait.sealedKey = undefined
      return sealedKey
    },
    end(narrative) {
      for (const resolveEnd of waits.get(narrative._id.toHexString())?.waiting ?? []) resolveEnd(narrative)
    },
  }
}
