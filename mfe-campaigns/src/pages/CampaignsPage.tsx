import type { Campaign } from '@iodine/contracts'
import { paths, SectionLink, useHost, withData } from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  EmptyState,
  formatCount,
  LoadingPanel,
  Page,
  PageHeader,
  SearchInput,
  Tab,
  Tabs,
  useSearchText,
} from '@iodine/ui'
import { FlagIcon, PlusIcon, SearchIcon } from '@iodine/ui/icons'
import { useNavigate, useParams, useSearchParams, useSetParam } from '@iodine/ui/router'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { searchCampaigns } from '../model/campaigns'
import { filterText, readFilter } from '../model/filter'
import { useCampaigns } from '../queries/campaigns'
import { useDeleteCampaign } from '../queries/edit'
import { CampaignDetails } from './CampaignDetails'
import { CampaignDialog } from './CampaignDialog'
import { BlankGrid, CampaignGrid } from './CampaignGrid'
import styles from './CampaignsPage.module.css'

type TabId = 'all' | 'my'

/** The page of all campaigns and the user's campaigns. The URL contains the tab, the search and the open campaign. */
export function CampaignsPage() {
  const { tab, setTab, text, setText, openId, close, filter, showAll } = useAddress()
  const filtered = filterText(filter)
  const wanted = useDeferredValue(text)
  const query = useCampaigns(filter)
  const { data: campaigns, own } = query
  const [draft, setDraft] = useState<Campaign | 'new' | null>(null)
  const remove = useDeleteCampaign(id => id === openId && close())
  const create = () => setDraft('new')

  const panel = (list: Campaign[]) => {
    const found = searchCampaigns(list, wanted)
    if (found.length > 0)
      return <CampaignGrid key={tab} campaigns={found} onEdit={setDraft} onDelete={remove} />
    if (list.length > 0)
      return (
        <EmptyState
          icon={<SearchIcon size={40} />}
          title="No campaigns found matching your search"
          action={<Button text="Clear search" onClick={() => setText('')} />}
        />
      )
    return <NoCampaigns tab={tab} onCreate={create} />
  }
  const tabs = [
    { id: 'all', title: 'All Campaigns', list: campaigns },
    { id: 'my', title: 'My Campaigns', list: own },
  ] as const
  return (
    <Page>
      <Header onCreate={create} />
      <SearchInput
        className={styles.search}
        value={text}
        onChange={setText}
        placeholder="Search campaigns..."
        hotkey={openId === undefined}
      />
      {filtered && (
        <Callout className={styles.search ?? ''} icon={false} compact>
          Only campaigns {filtered}.{' '}
          <Button size="small" variant="minimal" text="Show all" onClick={showAll} />
        </Callout>
      )}
      <Tabs
        id="campaigns"
        selectedTabId={tab}
        onChange={id => setTab(id as TabId)}
        renderActiveTabPanelOnly
        animate={false}
      >
        {tabs.map(({ id, title, list }) => (
          <Tab
            key={id}
            id={id}
            title={title}
            // While the number loads, a figure space keeps the width of one digit.
            tagContent={list ? formatCount(list.length) : '\u2007'}
            panel={
              <LoadingPanel
                query={withData(query, list)}
                errorTitle="Failed to load campaigns"
                skeleton={<BlankGrid />}
              >
                {panel}
              </LoadingPanel>
            }
          />
        ))}
      </Tabs>
      {openId !== undefined && (
        <CampaignDetails key={openId} id={openId} onEdit={setDraft} onDelete={remove} onClose={close} />
      )}
      <CampaignDialog draft={draft} onClose={() => setDraft(null)} />
    </Page>
  )
}

function Header({ onCreate }: { onCreate: () => void }) {
  const { config } = useHost()
  return (
    <PageHeader
      title="Campaigns"
      subtitle="Organize and manage your IOD collections"
      actions={
        <>
          <SectionLink to={paths.matrix()}>DISARM matrix</SectionLink>
          {config.reports && <SectionLink to={paths.quotedReports()}>Reports that quote you</SectionLink>}
          <Button intent="primary" icon={<PlusIcon />} text="Create Campaign" onClick={onCreate} />
        </>
      }
    />
  )
}

const NoCampaigns = ({ tab, onCreate }: { tab: TabId; onCreate: () => void }) =>
  tab === 'all' ? (
    <EmptyState
      icon={<FlagIcon size={40} />}
      title="No campaigns available yet"
      description="Be the first to create a campaign!"
    />
  ) : (
    <EmptyState
      icon={<FlagIcon size={40} />}
      title="You haven't created any campaigns yet"
      action={<Button intent="primary" text="Create Your First Campaign" onClick={onCreate} />}
    />
  )

function useAddress() {
  const { id: openId } = useParams()
  const [search] = useSearchParams()
  const navigate = useNavigate()
  const tab: TabId = search.get('tab') === 'my' ? 'my' : 'all'
  const query = search.toString()
  const close = useCallback(() => navigate({ pathname: '/', search: query }), [navigate, query])
  const set = useSetParam()
  const setTab = (next: TabId) => set('tab', next === 'my' ? next : '')
  const [text, setText] = useSearchText(search.get('search') ?? '', next => set('search', next.trim()))
  const filter = useMemo(() => readFilter(new URLSearchParams(query)), [query])
  return {
    tab,
    setTab,
    text,
    setText,
    openId,
    close,
    filter,
    showAll: () => navigate({ pathname: '/', search: '' }),
  }
}
