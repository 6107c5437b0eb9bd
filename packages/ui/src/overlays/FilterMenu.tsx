import { Button, Checkbox, Tag } from '@blueprintjs/core'
import type { ReactNode } from 'react'
import { formatCount } from '../format'
import { CaretDownIcon } from '../icons'
import { toggled } from '../toggled'
import styles from './FilterMenu.module.css'
import { ScrollPopover } from './ScrollPopover'

export interface FilterMenuProps<T extends string> {
  label: string
  choices: readonly T[]
  /** Empty means all. */
  chosen: readonly T[]
  /** Count shown beside 'All'. */
  total?: number | undefined
  /** Counts per choice; a missing choice counts as 0. */
  counts?: Partial<Record<T, number>> | undefined
  /** False if total and counts are lower bounds. */
  isExact?: boolean | undefined
  placement?: 'bottom-start' | 'bottom-end'
  onChange: (chosen: T[]) => void
}

/** A menu of checkboxes with counts. 'All' clears the selection. */
export function FilterMenu<T extends string>(props: FilterMenuProps<T>) {
  const { label, choices, chosen, total, counts, isExact, placement = 'bottom-start', onChange } = props
  const format = (count: number | undefined) => count !== undefined && formatCount(count, isExact)
  return (
    <ScrollPopover
      placement={placement}
      content={
        <fieldset className={styles.menu} aria-label={label}>
          <Choice
            label="All"
            count={format(total)}
            checked={chosen.length === 0}
            onChange={() => onChange([])}
          />
          {choices.map(choice => (
            <Choice
              key={choice}
              label={choice}
              count={format(counts && (counts[choice] ?? 0))}
              checked={chosen.includes(choice)}
              onChange={() => onChange(toggled(chosen, choice))}
            />
          ))}
        </fieldset>
      }
    >
      <Button endIcon={<CaretDownIcon />} aria-haspopup="dialog">
        {label}
        {chosen.length > 0 && (
          <Tag className={styles.chosen} intent="primary" round>
            {chosen.length}
          </Tag>
        )}
      </Button>
    </ScrollPopover>
  )
}

interface ChoiceProps {
  label: string
  count: ReactNode
  checked: boolean
  onChange: () => void
}

function Choice({ label, count, checked, onChange }: ChoiceProps) {
  return (
    <Checkbox className={styles.choice} checked={checked} onChange={onChange}>
      <span className={styles.text}>
        <span>{label}</span> <span className={styles.count}>{count}</span>
      </span>
    </Checkbox>
  )
}
