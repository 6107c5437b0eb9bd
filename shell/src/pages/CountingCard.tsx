import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { LoadingPanel, Switch } from '@iodine/ui'
import { ProfileCard } from './ProfileCard'

const QUERY_KEY = ['counting']

/** The switch that includes the user's records in the anonymous counts of Origins, and lets the user query them. */
export function CountingCard() {
  const { api } = useHost()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => api.call('GET /sightings/counting', { signal }),
  })
  const change = useAction({
    mutationFn: (counted: boolean) => api.call('PUT /sightings/counting', { body: { counted } }),
    onSuccess: counting => writeOver(client, [QUERY_KEY], () => client.setQueryData(QUERY_KEY, counting)),
    failed: 'Unable to save the setting',
  })
  return (
    <ProfileCard
      title="Anonymous counts"
      about={
        <>
          Origins shows how many other users collected the same post, text or link. You see these counts only
          if you take part. A count is a range from 3 users on (3–5, 6–10, 11–20, 21+) with the month of the
          first record. It never contains names, sources or texts. Counts are updated once a day.
        </>
      }
    >
      <LoadingPanel query={query} errorTitle="Unable to load the setting" compact>
        {({ counted }) => (
          <Switch
            checked={counted}
            disabled={change.isPending}
            label="Take part: count my records, and show me counts"
            onChange={event => void change.run(event.currentTarget.checked)}
          />
        )}
      </LoadingPanel>
    </ProfileCard>
  )
}
