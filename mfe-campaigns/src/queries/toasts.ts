import type { Toast } from '@iodine/mfe-kit'

/** Duration of the section's toasts, in milliseconds. */
export const TOAST_MS = 3_000

/** Returns the toast of a success. */
export const successToast = (title: string): Toast => ({ title, status: 'success', duration: TOAST_MS })

/** Returns the fields of a failure toast. The description is shown if the server returns no detail. */
export const failureFields = (description: string): Partial<Toast> => ({ description, duration: TOAST_MS })
