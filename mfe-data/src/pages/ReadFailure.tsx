import { errorDetail } from '@iodine/mfe-kit'
import { ErrorCallout } from '@iodine/ui'

export interface ReadFailureProps {
  error: Error
  onRetry: () => void
  isRetrying?: boolean
}

/** What stands where records could not be read. */
export function ReadFailure({ error, onRetry, isRetrying = false }: ReadFailureProps) {
  return (
    <ErrorCallout title="Failed to fetch data" onRetry={onRetry} retrying={isRetrying}>
      {errorDetail(error, 'Check your connection, then try again.')}
    </ErrorCallout>
  )
}
