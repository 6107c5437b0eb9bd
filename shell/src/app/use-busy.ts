import { useState } from 'react'

export interface Busy {
  isBusy: boolean
  /** Runs the work of a user's action. Never fails: a failure is passed to `onError`. */
  run: (work: () => Promise<unknown>) => Promise<void>
}

/** Holds the busy state of a user's action. For pages that do not load the query library, else `useAction`. */
export function useBusy(onError: (error: unknown) => void): Busy {
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true)
    await work().catch(onError)
    setBusy(false)
  }
  return { isBusy, run }
}
