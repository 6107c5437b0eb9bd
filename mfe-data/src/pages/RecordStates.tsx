import { errorHint } from '@iodine/mfe-kit'
import { LoadingPanel, type LoadingPanelProps } from '@iodine/ui'

/** Loading panel of records, whose errors all have the same text. */
export const RecordStates = <T,>(props: Omit<LoadingPanelProps<T>, 'errorTitle' | 'errorText'>) => (
  <LoadingPanel {...props} errorTitle="Failed to fetch data" errorText={errorHint(props.query.error)} />
)
