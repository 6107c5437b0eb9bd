import { type DataExport, formatQuota, LIMITS } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { Button, Callout, Card, DateTime, LoadingPanel, ProgressBar, saveFile } from '@iodine/ui'
import { DownloadIcon } from '@iodine/ui/icons'
import styles from './Profile.module.css'

const QUERY_KEY = ['data-export']
const POLL_MS = 1_000

/** Everything that is stored about the user, as a file. */
export function YourDataCard() {
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Your data</h2>
      <p className={styles.muted}>
        A file (JSON) with everything that is stored about you: your account, and what you have collected,
        created and published. It holds no keys. You get a mail when it is ready; it is kept for a day.
      </p>
      <Export />
    </Card>
  )
}

function Export() {
  const { api } = useHost()
  const query = useQuery({
    queryKey: QUERY_KEY,
    queryFn: ({ signal }) => api.call('GET /profile/data-export', { signal }),
    refetchInterval: ({ state: { data } }) => (data?.state === 'working' ? POLL_MS : false),
  })
  return (
    <LoadingPanel query={query} errorTitle="Unable to load the state of your data">
      {found => (
        <>
          {found?.state === 'working' && <Progress of={found} />}
          {found?.state === 'failed' && (
            <div role="alert">
              <Callout intent="warning" compact>
                Your data takes more than {formatQuota('record_bytes', LIMITS.dataExportBytes)}, which is too
                much for a file here. Write to us: we send it to you.
              </Callout>
            </div>
          )}
          <div className={styles.row}>
            {found?.state === 'ready' && <Download of={found} />}
            {found?.state !== 'working' && <Begin again={found?.state === 'ready'} />}
          </div>
        </>
      )}
    </LoadingPanel>
  )
}

function Progress({ of: { done, total, waiting_for } }: { of: DataExport }) {
  return (
    <div role="status">
      <ProgressBar value={done / total} intent="primary" stripes={false} aria-label="Data gathered" />
      <p className={styles.progress}>
        {done} of {total} parts gathered.
        {waiting_for !== null &&
          ' One part is not available right now: this waits for it and goes on by itself.'}
      </p>
    </div>
  )
}

function Begin({ again }: { again: boolean }) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const begin = useAction({
    mutationFn: () => api.call('POST /profile/data-export'),
    onSuccess: started =>
      writeOver(queryClient, [QUERY_KEY], () => queryClient.setQueryData(QUERY_KEY, started)),
    onError: () => queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
    failed: 'Unable to gather your data',
  })
  return (
    <Button
      intent={again ? 'none' : 'primary'}
      text={again ? 'Gather it again' : 'Gather my data'}
      loading={begin.isPending}
      onClick={() => void begin.run()}
    />
  )
}

function Download({ of: { id, created_at, bytes, expires_at } }: { of: DataExport }) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const download = useAction({
    mutationFn: async () => {
      const content = await api.download('GET /profile/data-export/:id', { params: { id } })
      saveFile(`iodine-data-${created_at.slice(0, 10)}.json`, content)
    },
    onError: () => queryClient.invalidateQueries({ queryKey: QUERY_KEY }),
    failed: 'Unable to download your data',
  })
  return (
    <>
      <Button
        intent="primary"
        icon={<DownloadIcon />}
        text={`Download (${formatQuota('record_bytes', bytes)})`}
        loading={download.isPending}
        onClick={() => void download.run()}
      />
      {expires_at && (
        <span className={styles.muted}>
          Kept until <DateTime value={expires_at} />
        </span>
      )}
    </>
  )
}
