import { errorToast, type Toast } from '@iodine/mfe-kit'

/** The section's toasts show for 3 s. */
export const TOAST_MS = 3_000

/** The toast of a success. */
export const successToast = (title: string): Toast => ({ title, status: 'success', duration: TOAST_MS })

/** The toast of a failure for which the server gives no detail. */
export const failureFields = (description: string): Partial<Toast> => ({ description, duration: TOAST_MS })

/** The toast of a failure with this text alone. */
export const errorWithoutDetail = (description: string): Toast =>
  errorToast(null, description, { duration: TOAST_MS })
