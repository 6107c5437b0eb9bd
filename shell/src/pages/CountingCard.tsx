import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { Card, LoadingPanel, Switch } from '@iodine/ui'
import styles from './Profile.module.css'

const QUERY_KEY = ['counting']

/** Whether the user counts for others in Origins, and may ask for counts. */
export function CountingCard() {
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Counts in Origins</h2>
      <p className={styles.muted}>
        How many others collected the same post, text or link, told to those alone who count, too. At least
        three others, in steps (3–5, 6–10, 11–20, 21+), with the month of the first, as of once a day. Never
        who, from where, or a text. A change shows the next day.
      </p>
      <Counting />
    </Card>
  )
}

function Counting() {
  const { api } = useHost()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => api.call('GET /sightings/counting', { signal }),
  })
  const change = useAction({
    mutationFn: (counted: boolean) => api.call('PUT /sightings/counting', { body: { counted } }),
    onSuccess: counting => writeOver(client, [QUERY_KEY], () => client.setQueryData(QUERY_KEY, counting)),
    failed: 'The choice could not be saved',
  })
  return (
    <LoadingPanel query={query} errorTitle="Unable to load the choice">
      {({ counted }) => (
        <Switch
          checked={counted}
          disabled={change.isPending}
          label="Count my records for others, and let me ask for counts"
          onChange={event => void change.run(event.currentTarget.checked)}
        />
      )}
    </LoadingPanel>
  )
}
