import { LIMITS, type Webhook } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { Button, CopyField, DateTime, formatRelative, Tag } from '@iodine/ui'
import { SendMessageIcon } from '@iodine/ui/icons'
import { ConfirmButton, DialogButton } from '@iodine/ui/overlays'
import { useEffect, useState } from 'react'
import { FieldForm } from '../FieldForm'
import { ItemRow, ItemRows } from '../ItemRow'
import styles from '../Profile.module.css'
import { ProfileCard } from '../ProfileCard'
import { SecretDialog } from '../SecretDialog'
import { SETTINGS_KEY, useSettings } from './settings'

const TEST_POLL_MS = 1_000
/** Time that the card waits for the result of a test, in milliseconds. */
const TEST_MS = 30_000

/** The user's webhook: sets, tests and deletes it. Its secret is shown once. */
export function WebhookCard({ webhook }: { webhook: Webhook | null }) {
  const { api } = useHost()
  const [secret, setSecret] = useState<string | null>(null)
  const set = useAction({
    mutationFn: (url: string) => api.call('PUT /notifications/webhook', { body: { url } }),
    onSuccess: made => setSecret(made.secret),
    failed: 'Unable to set the webhook',
    invalidates: [SETTINGS_KEY],
  })
  const label = webhook ? (webhook.enabled ? 'Replace' : 'Enable') : 'Add webhook'
  const setButton = (
    <DialogButton
      button={{
        text: label,
        'aria-label': webhook ? `${label} webhook` : label,
        variant: webhook ? 'outlined' : 'solid',
      }}
      title={webhook ? `${label} the webhook` : label}
    >
      {close => (
        <FieldForm
          label="URL"
          type="url"
          placeholder="https://example.org/hook"
          autoComplete="off"
          maxLength={LIMITS.feedUrlMax}
          initial={webhook?.url ?? ''}
          helperText="An https URL on the public internet. You get a new secret."
          missing="A URL is required"
          submitLabel={webhook ? label : 'Add'}
          onSubmit={set.run}
          onClose={close}
        />
      )}
    </DialogButton>
  )
  return (
    <ProfileCard
      title="Webhook"
      about={
        <>
          Each notification is sent to your own server, signed by the{' '}
          <a href="https://www.standardwebhooks.com/" target="_blank" rel="noreferrer">
            Standard Webhooks
          </a>{' '}
          specification.
        </>
      }
    >
      {webhook ? (
        <ItemRows>
          <Row webhook={webhook} setButton={setButton} />
        </ItemRows>
      ) : (
        <div className={styles.row}>{setButton}</div>
      )}
      <SecretDialog title="Your webhook secret" made={secret} onClose={() => setSecret(null)}>
        {made => (
          <CopyField
            label="Secret"
            value={made}
            hint="Your server verifies the signature of each delivery with it."
          />
        )}
      </SecretDialog>
    </ProfileCard>
  )
}

function Row({ webhook, setButton }: { webhook: Webhook; setButton: React.ReactNode }) {
  const { api } = useHost()
  const test = useTest(webhook)
  const remove = useAction({
    mutationFn: () => api.call('DELETE /notifications/webhook'),
    done: { title: 'Webhook deleted', duration: 3000 },
    failed: 'Unable to delete the webhook',
    invalidates: [SETTINGS_KEY],
  })
  return (
    <ItemRow
      icon={<SendMessageIcon />}
      name={webhook.url}
      tag={
        <Tag minimal intent={webhook.enabled ? 'success' : 'danger'}>
          {webhook.enabled ? 'Active' : 'Switched off'}
        </Tag>
      }
      about={
        <span role="status">
          {test.isWaiting ? 'Waiting for the result of the test…' : <LastResult {...webhook} />}
        </span>
      }
      actions={
        <>
          {webhook.enabled && (
            <Button variant="outlined" text="Send a test" loading={test.isWaiting} onClick={test.send} />
          )}
          {setButton}
          <ConfirmButton
            button={{ variant: 'outlined', intent: 'danger', text: 'Delete', 'aria-label': 'Delete webhook' }}
            title="Delete the webhook"
            confirmLabel="Delete"
            onConfirm={remove.run}
          >
            Notifications are no longer sent to <bdi>{webhook.url}</bdi>. The bell still shows them.
          </ConfirmButton>
        </>
      }
    />
  )
}

function LastResult({ last, failures }: Pick<Webhook, 'last' | 'failures'>) {
  if (!last) return 'Nothing sent yet'
  const time = <DateTime value={last.at} format={formatRelative} />
  if (last.error === null) return <>Delivered {time}</>
  return (
    <>
      Failed {time}: {last.error}
      {failures > 1 && ` (${failures} failures in a row)`}
    </>
  )
}

/** Sends a test, and reads the settings until they have its result. */
function useTest({ last }: Webhook) {
  const { api } = useHost()
  const at = last?.at ?? null
  /** Time of the result before the test; undefined without a running test. */
  const [before, setBefore] = useState<string | null>()
  const isAnswered = before !== undefined && before !== at
  const send = useAction({
    mutationFn: () => api.call('POST /notifications/webhook/test'),
    onSuccess: () => setBefore(at),
    failed: 'Unable to send a test',
  })
  useEffect(() => {
    if (before === undefined) return
    const timer = setTimeout(() => setBefore(undefined), isAnswered ? 0 : TEST_MS)
    return () => clearTimeout(timer)
  }, [before, isAnswered])
  const isWaiting = send.isPending || (before !== undefined && !isAnswered)
  useSettings(isWaiting && TEST_POLL_MS)
  return { send: () => void send.run(), isWaiting }
}
