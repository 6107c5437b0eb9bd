import { LoadingPanel, type LoadingPanelProps } from '@iodine/ui'

/** A loading panel for records. All errors have the same text. */
export const RecordStates = <T,>(props: Omit<LoadingPanelProps<T>, 'errorTitle' | 'errorText'>) => (
  <LoadingPanel {...props} errorTitle="Failed to fetch data" />
)
