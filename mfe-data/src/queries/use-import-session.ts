import { useHost } from '@iodine/mfe-kit'
import { useLatest } from '@iodine/ui'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { ImportSession, type SessionOptions } from '../drafts/import-session'
import type { ImportEntry } from '../model/import-entry'

/** Opens the session of the user's files while the page is open. */
export function useImportSession(events: Pick<SessionOptions, 'onChanged' | 'onDone'>): {
  session: ImportSession
  entries: readonly ImportEntry[]
} {
  const host = useHost()
  const latest = useLatest(events)
  const [session] = useState(
    () =>
      new ImportSession({
        api: host.api,
        owner: host.session.user.id,
        onChanged: () => latest.current.onChanged(),
        onDone: draft => latest.current.onDone(draft),
      }),
  )
  useEffect(() => {
    // Without a database there are no drafts. Reading a file then shows the reason.
    session.open().catch(() => {})
    return () => session.close()
  }, [session])
  return { session, entries: useSyncExternalStore(session.subscribe, session.entries) }
}
