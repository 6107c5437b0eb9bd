import type { Campaign } from '@iodine/contracts'
import { CampaignFields, useHost } from '@iodine/mfe-kit'
import {
  EmptyState,
  formatAmount,
  formatCount,
  formatRelative,
  LoadingPanel,
  ProgressText,
  Radio,
  SearchInput,
  Tab,
  Tabs,
  useDraft,
  useMissingField,
  useRetained,
  useSearchText,
} from '@iodine/ui'
import { Dialog, DialogActions, DialogBody } from '@iodine/ui/overlays'
import { type FormEvent, useId, useRef, useState } from 'react'
import { useAddToCampaign, useCampaignSearch, useCreateCampaign } from '../queries/campaigns'
import styles from './AddToCampaignDialog.module.css'

/** Minimum number of IODs for which progress is shown: they need more than one request. */
const PROGRESS_FROM = 501

export interface AddToCampaignDialogProps {
  /** The IODs to add; null while the dialog is closed. */
  iodIds: readonly string[] | null
  onClose: () => void
  /** Called before `onClose` once all IODs were added. */
  onAdded?: (campaign: Campaign) => void
}

/** The dialog that adds IODs to a campaign: an existing one, found by name, or a new one. */
export function AddToCampaignDialog({ iodIds, onClose, onAdded }: AddToCampaignDialogProps) {
  const shown = useRetained(iodIds)
  const [isBusy, setBusy] = useState(false)
  return (
    <Dialog
      className={styles.dialog}
      isOpen={iodIds !== null}
      onClose={onClose}
      title="Add to Campaign"
      canOutsideClickClose={false}
      canEscapeKeyClose={!isBusy}
      isCloseButtonShown={!isBusy}
    >
      <AddToCampaignForm
        iodIds={shown ?? []}
        isBusy={isBusy}
        onBusy={setBusy}
        onClose={onClose}
        onAdded={onAdded}
      />
    </Dialog>
  )
}

interface FormProps {
  iodIds: readonly string[]
  isBusy: boolean
  onBusy: (isBusy: boolean) => void
  onClose: () => void
  onAdded: ((campaign: Campaign) => void) | undefined
}

const NEW = { name: '', description: '' }

function AddToCampaignForm({ iodIds, isBusy, onBusy, onClose, onAdded }: FormProps) {
  const [isNew, setNew] = useState(false)
  const [chosen, setChosen] = useState<Campaign | null>(null)
  const [done, setDone] = useState(0)
  const { create, ...fields } = useNewCampaign(campaign => {
    // If its IODs can't be added, a retry adds them to this campaign.
    setChosen(campaign)
    setNew(false)
  })
  const add = useAddToCampaign()
  const formId = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    onBusy(true)
    setDone(0)
    const campaign = isNew ? await create() : chosen
    const isAdded = campaign !== null && (await add.run({ campaign, ids: iodIds, onStep: setDone }))
    onBusy(false)
    if (!isAdded) return
    onAdded?.(campaign)
    onClose()
  }

  return (
    <>
      <DialogBody>
        <form id={formId} onSubmit={submit} noValidate>
          <Tabs
            id={formId}
            className={styles.tabs ?? ''}
            selectedTabId={isNew ? 'new' : 'existing'}
            onChange={tab => setNew(tab === 'new')}
            renderActiveTabPanelOnly
          >
            <Tab
              id="existing"
              title="Existing campaign"
              disabled={isBusy}
              panel={<CampaignChoice chosen={chosen} onChoose={setChosen} disabled={isBusy} />}
            />
            <Tab
              id="new"
              title="New campaign"
              disabled={isBusy}
              panel={
                <div className={styles.panel}>
                  <CampaignFields {...fields} disabled={isBusy} />
                </div>
              }
            />
          </Tabs>
        </form>
        <div className={styles.info} aria-live="polite">
          {isBusy && iodIds.length >= PROGRESS_FROM && (
            <ProgressText value={done / iodIds.length} label="IODs added">
              {formatCount(done)} of {formatCount(iodIds.length)} added
            </ProgressText>
          )}
        </div>
      </DialogBody>
      <DialogActions
        type="submit"
        form={formId}
        text={`${isNew ? 'Create and add' : 'Add'} ${formatAmount(iodIds.length, 'IOD')}`}
        disabled={!isNew && chosen === null}
        loading={isBusy}
        cancel={{ onClick: onClose, disabled: isBusy }}
      />
    </>
  )
}

/** The draft of a new campaign, as props of its fields, and its creation. */
function useNewCampaign(onCreated: (campaign: Campaign) => void) {
  const { session, notify } = useHost()
  const [draft, setDraft] = useDraft(`${session.user.id}:add-to-campaign`, NEW)
  const missing = useMissingField<keyof typeof NEW>()
  const created = useRef<Campaign>(null)
  const { run } = useCreateCampaign(campaign => {
    created.current = campaign
    setDraft(NEW)
    onCreated(campaign)
  })
  const create = async (): Promise<Campaign | null> => {
    const isMissing = draft.name.trim() === ''
    missing.setMissing(isMissing ? 'name' : undefined)
    if (!isMissing) return (await run(draft)) ? created.current : null
    notify({ title: 'Missing information', description: 'Campaign name is required', status: 'warning' })
    return null
  }
  return { draft, missing, onChange: setDraft, create }
}

interface CampaignChoiceProps {
  chosen: Campaign | null
  onChoose: (campaign: Campaign) => void
  disabled: boolean
}

/** The newest campaigns that match a search, as a choice. The chosen campaign stays listed during other searches. */
function CampaignChoice({ chosen, onChoose, disabled }: CampaignChoiceProps) {
  const [wanted, setWanted] = useState('')
  const [text, setText] = useSearchText(wanted, setWanted)
  const found = useCampaignSearch(wanted)
  const total = found.total ?? 0
  const group = useId()
  return (
    <div className={styles.panel}>
      <SearchInput
        value={text}
        onChange={setText}
        placeholder="Search campaigns..."
        hotkey={false}
        autoFocus
      />
      <p className={styles.note}>Every member can add IODs to any campaign.</p>
      <div className={styles.list}>
        <LoadingPanel
          query={found}
          errorTitle="Failed to load campaigns"
          isEmpty={campaigns => campaigns.length === 0 && chosen === null}
          empty={<EmptyState title={wanted.trim() ? 'No campaigns match your search' : 'No campaigns yet'} />}
        >
          {campaigns => (
            <fieldset className={styles.choices} aria-label="Campaigns" disabled={disabled}>
              {withChosen(campaigns, chosen).map(campaign => (
                <Radio
                  key={campaign.id}
                  className={styles.choice ?? ''}
                  name={group}
                  checked={campaign.id === chosen?.id}
                  onChange={() => onChoose(campaign)}
                >
                  <span className={styles.label}>
                    <span className={styles.name} dir="auto" title={campaign.name}>
                      {campaign.name}
                    </span>
                    <span className={styles.meta}>
                      {formatAmount(campaign.iod_count, 'IOD')} · {campaign.created_by_username ?? 'Unknown'}{' '}
                      · {formatRelative(campaign.created_at)}
                    </span>
                  </span>
                </Radio>
              ))}
              {total > campaigns.length && (
                <p className={styles.more}>
                  The newest {formatCount(campaigns.length)} of {formatCount(total)} campaigns. Search for the
                  others.
                </p>
              )}
            </fieldset>
          )}
        </LoadingPanel>
      </div>
    </div>
  )
}

const withChosen = (campaigns: readonly Campaign[], chosen: Campaign | null): readonly Campaign[] =>
  chosen === null || campaigns.some(({ id }) => id === chosen.id) ? campaigns : [chosen, ...campaigns]
