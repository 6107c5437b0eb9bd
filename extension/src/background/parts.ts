import type { RequestName, ValueOf } from '../shared/messages'
import type { Captured } from '../sources'
import type { Captures } from './captures'
import type { Collector } from './collect'
import type { Database } from './database'
import type { createMarking } from './marking'
import type { Overlay } from './overlay'
import type { Queue } from './queue'

/** The result of a handler: undefined for a null answer. */
export type ResultOf<N extends RequestName> = ValueOf<N> extends null ? undefined : ValueOf<N>

/** Parts of the background script that the handlers of requests use. */
export interface Parts {
  database: Database
  queue: Queue
  captures: Captures
  collector: Collector
  overlay: Overlay
  marking: ReturnType<typeof createMarking>
  isSealing(): Promise<boolean>
  hashesImages(): Promise<boolean>
  /** Adds the hashes of pictures to records, if the user has enabled it. */
  withImageHashes(captured: readonly Captured[]): Promise<readonly Captured[]>
  /** Returns the last storage failure, for the user; empty if the last operation succeeded. */
  problem(): string
  /** Awaits a storage operation. The popup shows its failure until a later operation succeeds. */
  trackStorage<T>(work: Promise<T>): Promise<T>
  send(options?: { force: boolean }): Promise<void>
  /** Downloads the known IODs, if they are marked on any site. A 401 ends the session; other failures are ignored. */
  refreshOverlay(): Promise<void>
}

/** Browsers end an idle background after 30 s, also while a request with a large blob is pending. */
const AWAKE_MS = 20_000

/** Keeps the background script alive until `work` is done, by calling a browser API every 20 s. */
export const keptAwake = async <T>(work: Promise<T>): Promise<T> => {
  const awake = setInterval(() => chrome.runtime.getPlatformInfo(), AWAKE_MS)
  try {
    return await work
  } finally {
    clearInterval(awake)
  }
}
