import type { CanonicalDecision } from '@iodine/contracts'
import { paths, useSections } from '@iodine/mfe-kit'
import {
  BackButton,
  Button,
  Card,
  DateTime,
  EmptyState,
  formatDateTime,
  LoadingPanel,
  LoadMore,
  Page,
  PageHeader,
  SkeletonCards,
  Tag,
} from '@iodine/ui'
import { HistoryIcon } from '@iodine/ui/icons'
import { linesOf } from '../model/canonical'
import { useDecisions, useUndo } from '../queries/canonical'
import styles from './HistoryPage.module.css'
import listStyles from './NarrativesPage.module.css'

/** The page of the user's merges and splits, each with Undo. */
export function HistoryPage() {
  const { open } = useSections()
  const query = useDecisions()
  return (
    <Page>
      <BackButton text="All canonical narratives" onClick={() => open(paths.canonicalNarratives())} />
      <PageHeader
        title="Merges and splits"
        subtitle="A decision also applies to new texts, until you undo it"
      />
      <LoadingPanel
        query={query}
        errorTitle="Unable to load the history"
        skeleton={<SkeletonCards count={3} lines={2} className={listStyles.list} />}
        empty={
          <EmptyState
            icon={<HistoryIcon />}
            title="No merges or splits yet"
            description="Open a canonical narrative to merge it with another, or to split off variants."
          />
        }
      >
        {decisions => (
          <>
            <ul className={styles.list} aria-label="Decisions">
              {decisions.map(decision => (
                <Decision key={decision.id} decision={decision} />
              ))}
            </ul>
            <LoadMore query={query.more} text="Show more" />
          </>
        )}
      </LoadingPanel>
    </Page>
  )
}

function Decision({ decision }: { decision: CanonicalDecision }) {
  const undo = useUndo()
  const { id, action, at, undone_at } = decision
  return (
    <li>
      <Card className={styles.decision} compact>
        <div className={styles.what}>
          <span className={styles.meta}>
            <b>{action === 'merge' ? 'Merged' : 'Split'}</b> · <DateTime value={at} format={formatDateTime} />
          </span>
          <ul className={undone_at ? `${styles.lines} ${styles.undone}` : styles.lines}>
            {linesOf(decision).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines never change
              <li key={index}>
                <bdi>{line}</bdi>
              </li>
            ))}
          </ul>
        </div>
        {undone_at ? (
          <Tag minimal title={formatDateTime(undone_at)}>
            Undone
          </Tag>
        ) : (
          <Button
            size="small"
            variant="outlined"
            text="Undo"
            loading={undo.isPending}
            onClick={() => void undo.run(id)}
          />
        )}
      </Card>
    </li>
  )
}
