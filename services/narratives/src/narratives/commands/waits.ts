import type { NarrativeDoc } from '../models/narrative.js'

/** An older key is read again: its owner may have replaced it. */
const KEY_FRESH_MS = 5_000

interface Wait {
  sealedKey: string | undefined
  readAt: number
  waiting: Set<(ended: NarrativeDoc) => void>
}

/** The requests of this process that wait for a narrative's extraction. */
export interface Waits {
  /**
   * Registers a request. `ended` resolves when this process ends the narrative; another process may end it
   * as well, so that the request also watches the job.
   * @param sealedKey the user's AI key as the request has just read it
   */
  enter(id: NarrativeDoc['_id'], sealedKey: string): { ended: Promise<NarrativeDoc>; leave(): void }
  /** The sealed AI key of a waiting request, given once, so that a worker's retry reads it again. */
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
      let tell: (ended: NarrativeDoc) => void = () => {}
      const ended = new Promise<NarrativeDoc>(resolve => {
        tell = resolve
      })
      wait.waiting.add(tell)
      const leave = () => {
        wait.waiting.delete(tell)
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
      for (const tell of waits.get(narrative._id.toHexString())?.waiting ?? []) tell(narrative)
    },
  }
}
