import type { Source } from '@iodine/contracts'
import { paths, SectionLink, useSections } from '@iodine/mfe-kit'
import { Button, EmptyState, SkeletonCards } from '@iodine/ui'
import { DatabaseIcon, SearchIcon } from '@iodine/ui/icons'
import { use } from 'react'
import { analyzedText } from '../model/analyzed'
import type { RecordView, TextSelection } from '../model/record-view'
import type { Records } from '../queries/records'
import styles from './DataPage.module.css'
import { RecordGrid } from './RecordGrid'
import { RecordStates } from './RecordStates'
import { AnalyzedFilters, SearchTerm } from './record-context'

const SKELETONS = 4

interface RecordPanelProps {
  source: Source
  records: Records
  onStartIod: (view: RecordView, picked: TextSelection) => void
  onDelete: (view: RecordView) => void
}

/** The records of a source, or why there are none. */
export function RecordPanel({ source, records, onStartIod, onDelete }: RecordPanelProps) {
  const { error, hasMore } = records
  const term = use(SearchTerm)
  const isSearch = analyzedText(use(AnalyzedFilters)) !== '' || term !== ''
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
