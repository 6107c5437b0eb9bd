import type { Source } from '@iodine/contracts'
import { paths, SectionLink, SOURCE_LABELS, useSections } from '@iodine/mfe-kit'
import { Button, EmptyState, formatCount, SkeletonCards, Tab, Tabs } from '@iodine/ui'
import { DatabaseIcon, SearchIcon } from '@iodine/ui/icons'
import { use } from 'react'
import { analyzedText } from '../model/analyzed'
import type { RecordView, TextSelection } from '../model/record-view'
import type { Records } from '../queries/records'
import styles from './DataPage.module.css'
import { RecordGrid } from './RecordGrid'
import { RecordStates } from './RecordStates'
import { WantedRecords } from './record-context'

const SKELETONS = 4

/** Formats a count; while it loads, a figure space keeps the width of one digit, so that the tabs do not move. */
const formatTotal = (total: number | undefined) => (total === undefined ? '\u2007' : formatCount(total))

export interface RecordTabsProps extends Pick<RecordPanelProps, 'onStartIod' | 'onDelete'> {
  tabs: readonly Source[]
  source: Source
  all: Record<Source, Records>
  onSource: (source: Source) => void
}

/** The records by source, a tab each. */
export const RecordTabs = ({ tabs, source, all, onSource, ...panel }: RecordTabsProps) => (
  <Tabs
    id="my-data"
    className={styles.tabs}
    selectedTabId={source}
    onChange={id => onSource(id as Source)}
    renderActiveTabPanelOnly
  >
    {tabs.map(candidate => (
      <Tab
        key={candidate}
        id={candidate}
        title={SOURCE_LABELS[candidate]}
        tagContent={formatTotal(all[candidate].total)}
        panel={<RecordPanel source={candidate} records={all[candidate]} {...panel} />}
      />
    ))}
  </Tabs>
)

interface RecordPanelProps {
  source: Source
  records: Records
  onStartIod: (view: RecordView, picked: TextSelection) => void
  onDelete: (view: RecordView) => void
}

/** The records of a source, or why there are none. */
function RecordPanel({ source, records, onStartIod, onDelete }: RecordPanelProps) {
  const { error, hasMore } = records
  const { term, analyzed } = use(WantedRecords)
  const isSearch = analyzedText(analyzed) !== '' || term !== ''
  return (
    <RecordStates
      // If there is data, the error is shown below it.
      query={records.data ? { ...records, error: null } : records}
      isEmpty={slots => slots.length === 0 && !hasMore}
      skeleton={<SkeletonCards count={SKELETONS} lines={8} className={styles.skeletons} />}
      empty={isSearch ? <NoHits /> : <NoData />}
    >
      {slots => (
        <>
          <RecordGrid
            source={source}
            records={records}
            slots={slots}
            onStartIod={onStartIod}
            onDelete={onDelete}
          />
          {(error || hasMore) && <RecordStates query={{ ...records, data: undefined }} />}
        </>
      )}
    </RecordStates>
  )
}

const NoHits = () => (
  <EmptyState
    icon={<SearchIcon size={40} />}
    title="Nothing found"
    description="The numbers on the tabs count the matches of each source."
  />
)

function NoData() {
  const sections = useSections()
  return (
    <EmptyState
      icon={<DatabaseIcon size={40} />}
      title="No data collected yet"
      description="Open a page of this kind and collect it with the browser extension. It then appears here."
      action={
        <div className={styles.ways}>
          <Button text="Set up extension" onClick={() => sections.open(paths.overview())} />
          <SectionLink to={paths.importData()}>Import what you have</SectionLink>
        </div>
      }
    />
  )
}
