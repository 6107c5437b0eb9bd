import type { CampaignDetail, Iod } from '@iodine/contracts'
import {
  Button,
  Callout,
  EmptyState,
  formatAmount,
  formatCount,
  Loading,
  SearchInput,
  Tab,
  Tabs,
} from '@iodine/ui'
import { PlusIcon, SearchIcon, TagIcon } from '@iodine/ui/icons'
import { lazy, Suspense, useCallback, useDeferredValue, useMemo, useRef, useState } from 'react'
import { searchMembers } from '../model/iods'
import type { CampaignQuery } from '../queries/campaigns'
import { useRemoveIod } from '../queries/members'
import type { CampaignTechniques } from '../queries/techniques'
import styles from './CampaignDetails.module.css'
import { CampaignReports } from './CampaignReports'
import { IodDetailsDialog } from './IodDetailsDialog'
import { IodTable } from './IodTable'

const CampaignMatrix = lazy(() =>
  import(/* webpackChunkName: "matrix" */ './CampaignMatrix').then(module => ({
    default: module.CampaignMatrix,
  })),
)

export type ContentId = 'iods' | 'matrix' | 'reports'

export interface CampaignContentsProps {
  campaign: CampaignDetail
  query: CampaignQuery
  techniques: CampaignTechniques
  /** The open tab. */
  content: ContentId
  onContent: (content: ContentId) => void
  /** Searched text. */
  text: string
  onText: (text: string) => void
  onAdd: () => void
}

/** The IODs of a campaign, its matrix and its reports. */
export function CampaignContents(props: CampaignContentsProps) {
  const { campaign, query, techniques, content, onContent } = props
  const { iods: state, isFetching, refetch } = query
  const members = useRef<HTMLElement>(null)
  const removeIod = useRemoveIod(campaign.id)
  const remove = useCallback(
    async (iodId: string) => {
      await removeIod(iodId)
      // The focused button is removed with its row. Without a focus inside, the dialog would not receive Escape.
      if (!(document.activeElement instanceof HTMLInputElement)) members.current?.focus()
    },
    [removeIod],
  )

  return (
    <section
      ref={members}
      className={`${styles.members} ${content !== 'iods' ? styles.whole : ''}`}
      aria-label="Campaign IODs"
      tabIndex={-1}
    >
      {state === 'missing' && (
        <div role="status">
          <Callout className={styles.notice} intent="warning" compact>
            The IODs of this campaign can’t be shown right now.{' '}
            <Button size="small" text="Retry" onClick={() => void refetch()} loading={isFetching} />
          </Callout>
        </div>
      )}
      <Tabs
        id="contents"
        className={styles.contents}
        selectedTabId={content}
        onChange={id => onContent(id as ContentId)}
        renderActiveTabPanelOnly
        animate={false}
      >
        <Tab
          id="iods"
          title="IODs"
          panelClassName={styles.contents}
          panel={
            <div className={styles.contents}>
              <Iods {...props} onRemove={remove} />
            </div>
          }
        />
        <Tab
          id="matrix"
          title="Matrix"
          panelClassName={styles.contents}
          panel={
            <Suspense fallback={<Loading />}>
              <CampaignMatrix campaign={campaign} techniques={techniques} />
            </Suspense>
          }
        />
        <Tab
          id="reports"
          title="Reports"
          panelClassName={styles.contents}
          panel={<CampaignReports campaign={campaign} />}
        />
      </Tabs>
    </section>
  )
}

type IodsProps = Pick<CampaignContentsProps, 'campaign' | 'query' | 'text' | 'onText' | 'onAdd'>

/** The IODs that contain the searched text. */
function Iods({
  campaign,
  query,
  text,
  onText,
  onAdd,
  onRemove,
}: IodsProps & { onRemove: (iodId: string) => Promise<void> }) {
  const { iods } = campaign
  const wanted = useDeferredValue(text)
  const found = useMemo(() => searchMembers(iods, wanted), [iods, wanted])
  const [openIod, setOpenIod] = useState<Iod | null>(null)
  if (iods.length === 0)
    return query.iods === 'missing' ? null : (
      <EmptyState
        icon={<TagIcon size={40} />}
        title="No IODs in this campaign yet"
        action={<Button intent="primary" icon={<PlusIcon />} text="Add First IOD" onClick={onAdd} />}
      />
    )
  return (
    <>
      <div className={styles.bar}>
        <SearchInput
          className={styles.search}
          value={text}
          onChange={onText}
          placeholder="Search by value or category..."
        />
        <span className={styles.count} role="status">
          {formatCount(found.length)} of {formatAmount(campaign.iod_count, 'IOD')}
        </span>
      </div>
      {found.length > 0 ? (
        <IodTable key={wanted} iods={found} onOpen={setOpenIod} onRemove={onRemove} />
      ) : (
        <EmptyState
          icon={<SearchIcon size={40} />}
          title="No IODs match your search"
          action={<Button text="Clear search" onClick={() => onText('')} />}
        />
      )}
      <IodDetailsDialog iod={openIod} onClose={() => setOpenIod(null)} />
    </>
  )
}
