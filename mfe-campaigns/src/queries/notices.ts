import { errorDetail, hasStatus, useHost } from '@iodine/mfe-kit'
import { useEffect, useMemo } from 'react'

const TOAST_MS = 3_000
const UNAUTHORIZED = 401

/** The section's toasts: 3 s, closable. */
export function useNotices() {
  const { notify } = useHost()
  return useMemo(
    () => ({
      success: (title: string) => notify({ title, status: 'success', duration: TOAST_MS }),
      warning: (title: string, description: string) =>
        notify({ title, description, status: 'warning', duration: TOAST_MS }),
      /** Shows the server's detail, else `text`; without the detail always `text`. */
      failure: (error: unknown, text: string, { withDetail = true } = {}) => {
        if (hasStatus(error, UNAUTHORIZED)) return
        const description = withDetail ? errorDetail(error, text) : text
        notify({ title: 'Error', description, status: 'error', duration: TOAST_MS })
      },
    }),
    [notify],
  )
}

/** Says once a failure that something could not be loaded. */
export function useLoadNotice(error: unknown, text: string): void {
  const { notify } = useHost()
  useEffect(() => {
    if (!error || hasStatus(error, UNAUTHORIZED)) return
    notify({ title: 'Error', description: text, status: 'error', duration: TOAST_MS })
  }, [error, text, notify])
}
