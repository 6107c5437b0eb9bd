import type { Campaign } from '@iodine/contracts'
import type { Measure } from '@iodine/exchange/disarm'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { HTMLSelect, LoadingPanel, Page, PageHeader } from '@iodine/ui'
import { useSearchParams, useSetParam } from '@iodine/ui/router'
import { useMemo } from 'react'
import { nameOf } from '../model/campaigns'
import { usesOf } from '../model/matrix'
import { useCampaigns } from '../queries/campaigns'
import { useTechniqueCounts } from '../queries/quotes'
import { useTechniques } from '../queries/techniques'
import styles from './MatrixPage.module.css'
import { MatrixView } from './MatrixView'

const ALL: readonly Measure[] = ['campaigns', 'quotes', 'iods']
const ONE: readonly Measure[] = ['quotes', 'iods']

/** DISARM's matrix of all campaigns, of one, or of two that are compared. The URL contains the campaigns. */
export function MatrixPage() {
  const [search] = useSearchParams()
  const set = useSetParam()
  const id = search.get('campaign') ?? ''
  const otherId = id === '' ? '' : (search.get('with') ?? '')
  const query = useCampaigns()
  const campaigns = query.data ?? []
  const nameById = useMemo(() => new Map(campaigns.map(each => [each.id, nameOf(each)])), [campaigns])
  const title = (campaignId: string) => nameById.get(campaignId) ?? 'Campaign'
  return (
    <Page>
      <PageHeader
        title="DISARM matrix"
        subtitle="Techniques that campaigns use, by tactic"
        actions={<SectionLink to={paths.campaigns()}>All campaigns</SectionLink>}
      />
      <div className={styles.selects}>
        <CampaignSelect
          label="Campaign"
          none="All campaigns"
          campaigns={campaigns}
          value={id}
          onChange={next => set('campaign', next)}
        />
        {id !== '' && (
          <CampaignSelect
            label="Compare with"
            none="Compare with..."
            campaigns={campaigns.filter(each => each.id !== id)}
            value={otherId}
            onChange={next => set('with', next)}
          />
        )}
        {id !== '' && <SectionLink to={paths.campaign(id)}>Open the campaign</SectionLink>}
      </div>
      <div className={styles.frame}>
        {id === '' ? (
          <AllMatrix />
        ) : otherId === '' ? (
          <OneMatrix key={id} id={id} title={title(id)} />
        ) : (
          <TwoMatrix key={`${id} ${otherId}`} ids={[id, otherId]} names={[title(id), title(otherId)]} />
        )}
      </div>
    </Page>
  )
}

interface CampaignSelectProps {
  label: string
  /** Option without a campaign. */
  none: string
  campaigns: readonly Campaign[]
  value: string
  onChange: (id: string) => void
}

const CampaignSelect = ({ label, none, campaigns, value, onChange }: CampaignSelectProps) => (
  <HTMLSelect
    className={styles.select ?? ''}
    aria-label={label}
    value={value}
    onChange={event => onChange(event.currentTarget.value)}
  >
    <option value="">{none}</option>
    {value !== '' && campaigns.every(({ id }) => id !== value) && <option value={value}>Campaign</option>}
    {campaigns.map(campaign => (
      <option key={campaign.id} value={campaign.id}>
        {nameOf(campaign)}
      </option>
    ))}
  </HTMLSelect>
)

function AllMatrix() {
  const query = useTechniqueCounts()
  return (
    <LoadingPanel query={query} errorTitle="Failed to load techniques">
      {uses => <MatrixView title="All campaigns" uses={uses} measures={ALL} />}
    </LoadingPanel>
  )
}

function OneMatrix({ id, title }: { id: string; title: string }) {
  const techniques = useTechniques(id)
  const { data } = techniques.query
  const uses = useMemo(() => usesOf(data), [data])
  return (
    <LoadingPanel query={techniques.query} errorTitle="Failed to load techniques">
      {() => <MatrixView title={title} campaignId={id} uses={uses} measures={ONE} techniques={techniques} />}
    </LoadingPanel>
  )
}

interface TwoMatrixProps {
  ids: readonly [first: string, second: string]
  names: readonly [first: string, second: string]
}

function TwoMatrix({ ids, names }: TwoMatrixProps) {
  const first = useTechniques(ids[0]).query
  const second = useTechniques(ids[1]).query
  const uses = useMemo(() => usesOf(first.data), [first.data])
  const others = useMemo(() => usesOf(second.data), [second.data])
  return (
    <LoadingPanel query={first} errorTitle="Failed to load techniques">
      {() => (
        <LoadingPanel query={second} errorTitle="Failed to load the techniques of the second campaign">
          {() => (
            <MatrixView
              title={names.join(' and ')}
              uses={uses}
              compareWith={others}
              names={names}
              measures={ONE}
            />
          )}
        </LoadingPanel>
      )}
    </LoadingPanel>
  )
}
