import { errorToast, isUnauthorized, useHost } from '@iodine/mfe-kit'
import { useMemo } from 'react'

export const TOAST_MS = 3_000

/** The section's toasts, which show for 3 s. */
export function useNotices() {
  const { notify } = useHost()
  return useMemo(
    () => ({
      success: (title: string) => notify({ title, status: 'success', duration: TOAST_MS }),
      /** @param key identifies what is undone: each has a toast of its own */
      undoable: (title: string, key: string, undo: () => void) =>
        notify({
          title,
          status: 'success',
          key,
          action: { text: 'Undo', onClick: undo },
        }),
      warning: (title: string, description: string) =>
        notify({ title, description, status: 'warning', duration: TOAST_MS }),
      /** Shows the server's detail, or `text`; with `withDetail` false always `text`. */
      failure: (error: unknown, text: string, { withDetail = true } = {}) => {
        if (!isUnauthorized(error)) notify(errorToast(withDetail && error, text, { duration: TOAST_MS }))
      },
    }),
    [notify],
  )
}
