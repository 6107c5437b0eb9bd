import type { RecordImport } from '@iodine/contracts'
import {
  Card,
  DateTime,
  EmptyState,
  formatAmount,
  formatCount,
  formatDateTime,
  LoadingPanel,
  LoadMore,
  Tag,
} from '@iodine/ui'
import { HistoryIcon } from '@iodine/ui/icons'
import { ConfirmButton } from '@iodine/ui/overlays'
import { formatName } from '../../model/import-texts'
import { useRecordImports, useUndoImport } from '../../queries/record-imports'
import styles from './ImportList.module.css'

/** The user's imports, each with Undo. `onUndone` is called with the id of an import that is being undone. */
export function ImportList({ onUndone }: { onUndone: (importId: string) => void }) {
  const imports = useRecordImports()
  return (
    <section>
      <h2 className={styles.title}>Imports</h2>
      <LoadingPanel
        query={imports}
        errorTitle="Failed to load your imports"
        empty={
          <EmptyState
            icon={<HistoryIcon size={40} />}
            title="No imports yet"
            description="Each import is listed here. You can undo it within 30 days."
          />
        }
      >
        {items => (
          <ul className={styles.list} aria-label="Imports">
            {items.map(each => (
              <li key={each.id}>
                <ImportCard item={each} onUndone={onUndone} />
              </li>
            ))}
          </ul>
        )}
      </LoadingPanel>
      <LoadMore query={imports.more} text="Show more imports" />
    </section>
  )
}

function ImportCard({ item, onUndone }: { item: RecordImport; onUndone: (importId: string) => void }) {
  const undo = useUndoImport()
  const { file_name, format, created_at, received, total, refused, state, undo_until } = item
  const isUndoable = new Date(undo_until) > new Date()
  return (
    <Card className={styles.card}>
      <div className={styles.text}>
        <h3 className={styles.name} dir="auto">
          {file_name}
        </h3>
        <p className={styles.meta}>
          {formatName(format)} · <DateTime value={created_at} format={formatDateTime} />
          {received < total && ` · ${formatCount(received)} of ${formatAmount(total, 'record')} received`}
        </p>
        <p className={styles.counts}>{countsText(item)}</p>
        {refused.length > 0 && (
          <ul className={styles.refused}>
            {refused.map(({ reason, count }) => (
              <li key={reason}>
                {formatCount(count)} rejected: {reason}
              </li>
            ))}
          </ul>
        )}
      </div>
      {state === 'undoing' ? (
        <Tag minimal>Undoing…</Tag>
      ) : (
        isUndoable && (
          <ConfirmButton
            button={{ text: 'Undo', 'aria-label': `Undo the import of ${file_name}` }}
            title="Undo the import"
            confirmLabel="Undo import"
            onConfirm={async () => {
              if (await undo.run(item)) onUndone(item.id)
            }}
          >
            Records that came only by this import will be deleted. Other records lose what it added. IODs that
            you created from its records stay.
          </ConfirmButton>
        )
      )}
    </Card>
  )
}

/** Returns the outcome of the received records: '12 new, 3 completed, 1 unchanged'. */
const countsText = ({ created, merged, unchanged }: RecordImport): string =>
  `${formatCount(created)} new, ${formatCount(merged)} completed, ${formatCount(unchanged)} unchanged`
