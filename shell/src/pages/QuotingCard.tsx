import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { LoadingPanel, Switch } from '@iodine/ui'
import { ProfileCard } from './ProfileCard'

const QUERY_KEY = ['quoting']

/** The switch that lets public reports quote the descriptions of the user's IODs. */
export function QuotingCard() {
  const { api } = useHost()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => api.call('GET /profile/quoting', { signal }),
  })
  const change = useAction({
    mutationFn: (allowed: boolean) => api.call('PUT /profile/quoting', { body: { allowed } }),
    onSuccess: quoting => writeOver(client, [QUERY_KEY], () => client.setQueryData(QUERY_KEY, quoting)),
    failed: 'Unable to save the setting',
  })
  return (
    <ProfileCard
      title="Public reports"
      about={
        <>
          A member can publish a report of a campaign after an administrator’s review. It shows the values of
          the campaign’s IODs and quotes of captures, without your name. It shows the descriptions that you
          wrote only if you agree here. Versions that are already published stay as they are. If a report
          contains your IODs or evidence, you are notified, and have 72 hours to take them out.
        </>
      }
    >
      <LoadingPanel query={query} errorTitle="Unable to load the setting" compact>
        {({ allowed }) => (
          <Switch
            checked={allowed}
            disabled={change.isPending}
            label="My IODs may be quoted in public reports"
            onChange={event => void change.run(event.currentTarget.checked)}
          />
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}
