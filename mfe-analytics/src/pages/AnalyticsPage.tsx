import { Callout, Page, PageHeader, Tab, Tabs } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { useCallback, useMemo, useState } from 'react'
import { type Controls, readControls, type TabId, writeControls } from '../model/controls'
import styles from './AnalyticsPage.module.css'
import { CampaignCharts } from './CampaignCharts'
import { CollectionCharts } from './CollectionCharts'
import { ControlBar } from './ControlBar'
import { IndicatorCharts } from './IndicatorCharts'
import { NarrativeCharts } from './NarrativeCharts'

const PANELS = [
  { id: 'indicators', title: 'Indicators', Charts: IndicatorCharts },
  { id: 'collection', title: 'My collection', Charts: CollectionCharts },
  { id: 'campaigns', title: 'Campaigns', Charts: CampaignCharts },
  { id: 'narratives', title: 'Narratives', Charts: NarrativeCharts },
] as const satisfies readonly { id: TabId; title: string; Charts: unknown }[]

/** Charts of IODs, the user's records, campaigns and narratives. The URL contains the tab and all controls. */
export function AnalyticsPage() {
  const [search, setSearch] = useSearchParams()
  // "Today" stays the day on which the page was opened.
  const [now] = useState(Date.now)
  const text = search.toString()
  const { controls, problems } = useMemo(() => readControls(new URLSearchParams(text), now), [text, now])
  const change = useCallback(
    (changes: Partial<Controls>) =>
      setSearch(writeControls({ ...controls, ...changes }), { replace: changes.tab === undefined }),
    [controls, setSearch],
  )
  return (
    <Page>
      <PageHeader title="Analytics" subtitle="Every mark opens the rows that it counts." />
      {problems.length > 0 && (
        <Callout className={styles.problems} intent="warning" role="alert" compact>
          <ul>
            {problems.map(problem => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        </Callout>
      )}
      <Tabs
        id="analytics"
        selectedTabId={controls.tab}
        onChange={id => change({ tab: id as TabId })}
        renderActiveTabPanelOnly
        animate={false}
      >
        {PANELS.map(({ id, title, Charts }) => (
          <Tab
            key={id}
            id={id}
            title={title}
            panel={
              <>
                <ControlBar controls={controls} onChange={change} />
                <div className={styles.grid}>
                  <Charts controls={controls} onChange={change} />
                </div>
              </>
            }
          />
        ))}
      </Tabs>
    </Page>
  )
}
