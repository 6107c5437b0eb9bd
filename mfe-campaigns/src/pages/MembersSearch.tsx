import { formatAmount, formatCount, SearchInput } from '@iodine/ui'
import styles from './MembersSearch.module.css'

export interface MembersSearchProps {
  text: string
  onChange: (text: string) => void
  found: number
  total: number
}

export function MembersSearch({ text, onChange, found, total }: MembersSearchProps) {
  return (
    <div className={styles.bar}>
      <SearchInput
        className={styles.search}
        value={text}
        onChange={onChange}
        placeholder="Search by value or category..."
      />
      <span className={styles.count} role="status">
        {formatCount(found)} of {formatAmount(total, 'IOD')}
      </span>
    </div>
  )
}
