import { useAction } from '@iodine/mfe-kit'
import { Button, Facts, formatAmount, formatCount, formatDate, saveFile, Tag } from '@iodine/ui'
import { DownloadIcon } from '@iodine/ui/icons'
import type { ReactNode } from 'react'
import { skippedItems } from '../../drafts/database'
import type { Draft } from '../../model/import-draft'
import type { Counted, Plan } from '../../model/import-plan'
import { formatName, linesText, skipText, warningText } from '../../model/import-texts'
import styles from './ImportPlan.module.css'

export interface ImportPlanProps {
  draft: Draft
  /** Whether the server is still asked which records are known. */
  isComparing: boolean
}

/** What a file contains, before anything is sent. */
export function ImportPlan({ draft, isComparing }: ImportPlanProps) {
  const { total, known, plan } = draft
  const { platforms, skipped, warnings } = plan
  const left = skipped.reduce((sum, { count }) => sum + count, 0)
  return (
    <div className={styles.plan}>
      <p className={styles.counts} role="status">
        {countsText(total, known, isComparing)}
      </p>
      <div className={styles.platforms}>
        {platforms.map(({ name, count }) => (
          <Tag key={name} minimal>
            {name} {formatCount(count)}
          </Tag>
        ))}
      </div>
      <Facts
        className={styles.facts}
        help={HELP}
        facts={{
          Format: formatName(draft.format),
          Accounts: total > 0 && formatCount(plan.accounts, !plan.hasMoreAccounts),
          Posted: periodText(plan),
          Repeated: plan.merged > 0 && formatAmount(plan.merged, 'item'),
          'In albums': plan.joined > 0 && formatAmount(plan.joined, 'message'),
        }}
      />
      {left > 0 && (
        <Reasons
          title={`${formatAmount(left, 'item')} left out`}
          counted={skipped}
          textOf={skipText}
          action={<SkippedButton draft={draft} />}
        />
      )}
      {warnings.length > 0 && (
        <Reasons title="Changed while reading" counted={warnings} textOf={warningText} />
      )}
    </div>
  )
}

const HELP = {
  Repeated: 'Items of a post that the file contains already. They complete its record.',
  'In albums': 'Messages that became part of the record of their album.',
}

const countsText = (total: number, known: number | undefined, isComparing: boolean): string => {
  if (total === 0) return 'Nothing to import'
  const records = formatAmount(total, 'record')
  if (isComparing) return `${records}. Comparing with your data…`
  if (known === undefined) return records
  return `${records}: ${formatCount(total - known)} new, ${formatCount(known)} in your data already`
}

const periodText = ({ from, to }: Plan): string => {
  if (!from || !to) return ''
  const [first, last] = [formatDate(from), formatDate(to)]
  return first === last ? first : `${first} – ${last}`
}

interface ReasonsProps {
  title: string
  counted: readonly Counted[]
  textOf: (reason: string) => string
  action?: ReactNode
}

/** Reasons with their number and their first lines. */
const Reasons = ({ title, counted, textOf, action }: ReasonsProps) => (
  <section className={styles.reasons}>
    <div className={styles.head}>
      <h3 className={styles.subtitle}>{title}</h3>
      {action}
    </div>
    <ul className={styles.list}>
      {counted.map(each => (
        <li key={each.reason}>
          {formatCount(each.count)} × {textOf(each.reason)}{' '}
          <span className={styles.lines}>{linesText(each)}</span>
        </li>
      ))}
    </ul>
  </section>
)

function SkippedButton({ draft }: { draft: Draft }) {
  const save = useAction({ mutationFn: saveSkipped, failed: 'Failed to save the list' })
  return (
    <Button
      size="small"
      variant="minimal"
      icon={<DownloadIcon />}
      text="Download as CSV"
      onClick={() => void save.run(draft)}
    />
  )
}

const saveSkipped = async ({ id, file_name }: Draft) => {
  const [{ writeCsv }, items] = await Promise.all([import('@iodine/exchange/spreadsheet'), skippedItems(id)])
  const rows = items.map(({ at, reason, detail = '' }) => [at, skipText(reason), detail])
  const csv = writeCsv(['line', 'reason', 'detail'], rows)
  saveFile(`${file_name}.left-out.csv`, new Blob([csv], { type: 'text/csv' }))
}
