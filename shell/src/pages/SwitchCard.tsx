import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { LoadingPanel, Switch } from '@iodine/ui'
import type { ReactNode } from 'react'
import { ProfileCard } from './ProfileCard'

export interface SwitchCardProps<T> {
  /** Name of the setting, as the query key. */
  name: string
  title: string
  about: ReactNode
  label: string
  read: (api: ApiClient, signal: AbortSignal) => Promise<T>
  write: (api: ApiClient, isOn: boolean) => Promise<T>
  isOn: (setting: T) => boolean
}

/** A card of My Profile with one switch. */
export function SwitchCard<T>({ name, title, about, label, read, write, isOn }: SwitchCardProps<T>) {
  const { api } = useHost()
  const client = useQueryClient()
  const queryKey = [name]
  const query = useQuery({ queryKey, queryFn: ({ signal }) => read(api, signal) })
  const change = useAction({
    mutationFn: (next: boolean) => write(api, next),
    onSuccess: setting => writeOver(client, [queryKey], () => client.setQueryData(queryKey, setting)),
    failed: 'Unable to save the setting',
  })
  return (
    <ProfileCard title={title} about={about}>
      <LoadingPanel query={query} errorTitle="Unable to load the setting" compact>
        {setting => (
          <Switch
            checked={isOn(setting)}
            disabled={change.isPending}
            label={label}
            onChange={event => void change.run(event.currentTarget.checked)}
          />
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}
