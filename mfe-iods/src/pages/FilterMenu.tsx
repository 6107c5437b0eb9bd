import { Button, Checkbox, Tag } from '@iodine/ui'
import { CaretDownIcon } from '@iodine/ui/icons'
import { Popover } from '@iodine/ui/overlays'
import { toggled } from '../model/filters'
import styles from './FilterMenu.module.css'

export interface FilterMenuProps<T extends string> {
  label: string
  choices: readonly T[]
  /** None means all. */
  chosen: readonly T[]
  total: number | undefined
  counts: Partial<Record<T, number>> | undefined
  onChange: (chosen: T[]) => void
}

/** A menu of checkboxes with a count beside each, and 'All' to undo the choice. */
export function FilterMenu<T extends string>(props: FilterMenuProps<T>) {
  const { label, choices, chosen, total, counts, onChange } = props
  return (
    <Popover
      placement="bottom-start"
      content={
        <fieldset className={styles.menu} aria-label={label}>
          <Choice label="All" count={total} checked={chosen.length === 0} onChange={() => onChange([])} />
          {choices.map(choice => (
            <Choice
              key={choice}
              label={choice}
              count={counts && (counts[choice] ?? 0)}
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
    </Popover>
  )
}

interface ChoiceProps {
  label: string
  count: number | undefined
  checked: boolean
  onChange: () => void
}

function Choice({ label, count, checked, onChange }: ChoiceProps) {
  return (
    <Checkbox className={styles.choice} checked={checked} onChange={onChange}>
      <span className={styles.text}>
        <span>{label}</span> <span className={styles.count}>{count?.toLocaleString('en-US')}</span>
      </span>
    </Checkbox>
  )
}
