import type { NotificationSettings } from '@iodine/contracts'
import { type Action, type Input, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'

/** Query key of the channels of the user's notifications. */
export const SETTINGS_KEY = ['notification-settings']

/** Reads the settings. `pollMs`: the interval of further reads, if any. */
export function useSettings(pollMs: number | false = false) {
  const { api } = useHost()
  return useQuery({
    queryKey: SETTINGS_KEY,
    queryFn: ({ signal }) => api.call('GET /notifications/settings', { signal }),
    refetchInterval: pollMs,
  })
}

type Change = NonNullable<Input<'PATCH /notifications/settings'>['body']>

/** Changes settings with an optimistic update, which a rejection rolls back. */
export function useChangeSettings(): Action<Change> {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    mutationFn: (body: Change) => api.call('PATCH /notifications/settings', { body }),
    onMutate: async change => {
      await client.cancelQueries({ queryKey: SETTINGS_KEY })
      client.setQueryData<NotificationSettings>(
        SETTINGS_KEY,
        current => current && { ...current, ...(change as Partial<NotificationSettings>) },
      )
    },
    failed: 'Unable to save the setting',
    invalidates: [SETTINGS_KEY],
  })
}
