import { type FeedKind, isFeedUrl, LIMITS, type Subscription } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import {
  EmptyState,
  FormGroup,
  formatAmount,
  HTMLSelect,
  LoadingPanel,
  Radio,
  SearchInput,
  SegmentedControl,
  TextArea,
  TextField,
  type TextFieldProps,
  useMissingField,
  useRetained,
  useSearchText,
} from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useId, useState } from 'react'
import cells from './cells.module.css'
import styles from './Subscriptions.module.css'
import { INTERVALS, intervalOf, SUBSCRIPTIONS } from './subscriptions'

/** Maximum number of campaigns in a search result. */
const FOUND = 20
const KINDS: { value: FeedKind; label: string }[] = [
  { value: 'taxii', label: 'TAXII 2.1' },
  { value: 'misp', label: 'MISP feed' },
]

const SECRET_KEPT = 'Leave both empty to keep the stored values.'

export interface SubscriptionDialogProps {
  /** The subscription to edit; 'new' to create one, null while the dialog is closed. */
  draft: Subscription | 'new' | null
  onClose: () => void
}

/** The form that creates or edits a subscription. */
export function SubscriptionDialog({ draft, onClose }: SubscriptionDialogProps) {
  const shown = useRetained(draft)
  const subscription = shown === 'new' ? null : shown
  return (
    <Dialog
      isOpen={draft !== null}
      onClose={onClose}
      title={subscription ? 'Edit Subscription' : 'Subscribe to a Feed'}
      canOutsideClickClose={false}
    >
      <SubscriptionForm subscription={subscription} onClose={onClose} />
    </Dialog>
  )
}

interface Draft {
  kind: FeedKind
  url: string
  user: string
  key: string
  publicKey: string
  every: number
  campaign: string | null
}

const draftOf = (subscription: Subscription | null): Draft => ({
  kind: subscription?.kind ?? 'taxii',
  url: subscription?.url ?? '',
  user: '',
  key: '',
  publicKey: subscription?.public_key ?? '',
  every: subscription?.every ?? LIMITS.pullMinutes,
  campaign: subscription?.campaign_id ?? null,
})

interface FormProps {
  subscription: Subscription | null
  onClose: () => void
}

function SubscriptionForm({ subscription, onClose }: FormProps) {
  const { notify } = useHost()
  const [draft, setDraft] = useState(() => draftOf(subscription))
  const { groupProps, fieldProps, setMissing } = useMissingField<'url' | 'key' | 'publicKey' | 'user'>()
  const save = useSave(subscription)
  const change = (changed: Partial<Draft>) => {
    setMissing()
    setDraft({ ...draft, ...changed })
  }
  const submit = async (): Promise<boolean> => {
    const fault = faultOf(draft, subscription)
    setMissing(fault?.field === 'campaign' ? undefined : fault?.field)
    if (!fault) return save(draft)
    notify({ title: 'Missing information', description: fault.text, status: 'warning' })
    return false
  }
  const isListed = INTERVALS.some(([each]) => each === draft.every)
  const intervals = isListed ? INTERVALS : [...INTERVALS, [draft.every, intervalOf(draft.every)] as const]
  return (
    <DialogForm submitLabel={subscription ? 'Save Changes' : 'Subscribe'} onSubmit={submit} onClose={onClose}>
      {subscription ? (
        <p className={cells.text}>{subscription.url}</p>
      ) : (
        <FeedFields draft={draft} urlProps={fieldProps('url')} onChange={change} />
      )}
      <div className={styles.row}>
        <TextField
          label="Username"
          {...fieldProps('user')}
          labelInfo="(optional)"
          autoComplete="off"
          value={draft.user}
          onValueChange={user => change({ user })}
        />
        <TextField
          label="Key or password"
          {...fieldProps('key')}
          labelInfo="(optional)"
          helperText={subscription?.has_secret ? SECRET_KEPT : 'Stored encrypted, never shown.'}
          type="password"
          autoComplete="new-password"
          value={draft.key}
          onValueChange={key => change({ key })}
        />
      </div>
      <FormGroup label="Pull every" labelFor="subscription-every">
        <HTMLSelect
          id="subscription-every"
          value={draft.every}
          options={intervals.map(([value, label]) => ({ value, label }))}
          onChange={event => change({ every: Number(event.currentTarget.value) })}
        />
      </FormGroup>
      {draft.kind === 'misp' && (
        <FormGroup
          label="Public key"
          {...groupProps('publicKey')}
          labelInfo="(optional)"
          helperText="Ed25519, in PEM format. If set, only feeds with a valid signature are imported."
        >
          <TextArea
            {...fieldProps('publicKey')}
            className={styles.key}
            fill
            rows={3}
            placeholder="-----BEGIN PUBLIC KEY-----"
            value={draft.publicKey}
            onChange={event => change({ publicKey: event.target.value })}
          />
        </FormGroup>
      )}
      {!subscription && (
        <CampaignChoice chosen={draft.campaign} onChoose={campaign => change({ campaign })} />
      )}
    </DialogForm>
  )
}

interface FeedFieldsProps {
  draft: Draft
  urlProps: Partial<TextFieldProps>
  onChange: (changed: Partial<Draft>) => void
}

/** The feed of a new subscription. */
function FeedFields({ draft: { kind, url }, urlProps, onChange }: FeedFieldsProps) {
  const isTaxii = kind === 'taxii'
  return (
    <>
      <FormGroup label="Feed type">
        <SegmentedControl
          fill
          aria-label="Feed type"
          options={KINDS}
          value={kind}
          onValueChange={kind => onChange({ kind: kind as FeedKind })}
        />
      </FormGroup>
      <TextField
        label="URL"
        {...urlProps}
        labelInfo="(required)"
        helperText={
          isTaxii
            ? 'The https URL of a TAXII collection.'
            : 'The https URL of the folder that contains manifest.json.'
        }
        autoFocus
        autoComplete="off"
        placeholder={
          isTaxii ? 'https://example.org/taxii2/root/collections/…/' : 'https://example.org/feeds/misp/'
        }
        value={url}
        onValueChange={url => onChange({ url })}
      />
    </>
  )
}

const faultOf = (
  { url, user, key, publicKey, campaign, kind }: Draft,
  subscription: Subscription | null,
): { field: 'url' | 'key' | 'publicKey' | 'campaign'; text: string } | undefined => {
  if (!subscription && !isFeedUrl(url.trim()))
    return { field: 'url', text: 'The URL must begin with https:// and contain no username or password' }
  if (user !== '' && key === '') return { field: 'key', text: 'Enter a key or password for this username' }
  if (kind === 'misp' && publicKey.trim() !== '' && !publicKey.includes('BEGIN PUBLIC KEY'))
    return { field: 'publicKey', text: 'The public key must be in PEM format' }
  return campaign === null ? { field: 'campaign', text: 'Choose a campaign for the feed' } : undefined
}

function useSave(subscription: Subscription | null) {
  const { api } = useHost()
  const { run } = useAction({
    mutationFn: ({ kind, url, user, key, publicKey, every, campaign }: Draft): Promise<unknown> => {
      const settings = {
        every,
        public_key: kind === 'misp' ? publicKey.trim() || null : null,
        ...(key !== '' && { secret: { user, key } }),
      }
      return subscription
        ? api.call('PATCH /campaigns/subscriptions/:id', { params: { id: subscription.id }, body: settings })
        : api.call('POST /campaigns/subscriptions', {
            body: { kind, url: url.trim(), campaign_id: campaign ?? '', ...settings },
          })
    },
    done: { title: subscription ? 'Subscription changed' : 'The feed is being pulled', duration: 3000 },
    failed: 'Unable to save the subscription',
    invalidates: [SUBSCRIPTIONS],
  })
  return run
}

/** The newest campaigns that match a search, as a choice. */
function CampaignChoice({ chosen, onChoose }: { chosen: string | null; onChoose: (id: string) => void }) {
  const { api } = useHost()
  const [wanted, setWanted] = useState('')
  const [text, setText] = useSearchText(wanted, setWanted)
  const group = useId()
  const query = useQuery({
    queryKey: ['subscription-campaigns', wanted.trim()],
    queryFn: ({ signal }) =>
      api.page('GET /campaigns', { query: { limit: FOUND, q: wanted.trim() || undefined }, signal }),
    placeholderData: before => before,
  })
  return (
    <FormGroup label="Campaign" labelInfo="(required)">
      <SearchInput value={text} onChange={setText} placeholder="Search campaigns..." hotkey={false} />
      <fieldset className={styles.choices} aria-label="Campaigns">
        <LoadingPanel
          query={query}
          errorTitle="Failed to load campaigns"
          isEmpty={({ items }) => items.length === 0}
          empty={<EmptyState title={wanted.trim() ? 'No campaigns match your search' : 'No campaigns yet'} />}
        >
          {({ items }) =>
            items.map(campaign => (
              <Radio
                key={campaign.id}
                name={group}
                checked={campaign.id === chosen}
                onChange={() => onChoose(campaign.id)}
              >
                <span className={cells.text} dir="auto">
                  {campaign.name}
                </span>{' '}
                <span className={cells.muted}>{formatAmount(campaign.iod_count, 'IOD')}</span>
              </Radio>
            ))
          }
        </LoadingPanel>
      </fieldset>
    </FormGroup>
  )
}
