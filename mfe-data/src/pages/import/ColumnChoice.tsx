import { Disclosure, FormGroup, HTMLSelect, HTMLTable } from '@iodine/ui'
import { useId } from 'react'
import {
  type ColumnMapping,
  MAIN_FIELDS,
  MAPPED_FIELDS,
  type MappedField,
  withColumn,
} from '../../model/column-mapping'
import styles from './Preview.module.css'

export interface ColumnChoiceProps {
  columns: readonly string[]
  /** The first rows. */
  rows: readonly (readonly string[])[]
  mapping: ColumnMapping
  onChange: (mapping: ColumnMapping) => void
}

const MORE_FIELDS = (Object.keys(MAPPED_FIELDS) as MappedField[]).filter(
  field => !MAIN_FIELDS.includes(field),
)

/** Asks which column of a table holds which field, with the first rows. */
export function ColumnChoice({ columns, rows, mapping, onChange }: ColumnChoiceProps) {
  const fieldsOf = (fields: readonly MappedField[]) => (
    <div className={styles.fields}>
      {fields.map(field => (
        <ColumnSelect
          key={field}
          label={MAPPED_FIELDS[field]}
          columns={columns}
          value={mapping[field] ?? ''}
          onChange={column => onChange(withColumn(mapping, field, column))}
        />
      ))}
    </div>
  )
  return (
    <fieldset className={styles.group}>
      <legend className={styles.label}>Columns</legend>
      <p className={styles.help}>Choose where each field stands. Text or URL is required.</p>
      {fieldsOf(MAIN_FIELDS)}
      <Disclosure label="More fields" active={MORE_FIELDS.filter(field => mapping[field]).length}>
        {fieldsOf(MORE_FIELDS)}
      </Disclosure>
      <PreviewTable columns={columns} rows={rows} mapping={mapping} />
    </fieldset>
  )
}

interface ColumnSelectProps {
  label: string
  columns: readonly string[]
  value: string
  onChange: (column: string) => void
}

function ColumnSelect({ label, columns, value, onChange }: ColumnSelectProps) {
  const id = useId()
  return (
    <FormGroup label={label} labelFor={id}>
      <HTMLSelect id={id} fill value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">None</option>
        {[...new Set(columns)].filter(Boolean).map(column => (
          <option key={column} value={column}>
            {column}
          </option>
        ))}
      </HTMLSelect>
    </FormGroup>
  )
}

const PreviewTable = ({ columns, rows, mapping }: Omit<ColumnChoiceProps, 'onChange'>) => {
  const used = new Set(Object.values(mapping))
  const classOf = (column: string | undefined) => (column && used.has(column) ? styles.used : undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section className={styles.frame} aria-label="First rows" tabIndex={0}>
      <HTMLTable compact className={styles.table}>
        <thead>
          <tr>
            {columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns may have equal names and do not move
              <th key={at} scope="col" className={classOf(column)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id and do not move
            <tr key={at}>
              {columns.map((column, cell) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={cell} dir="auto" className={classOf(column)} title={row[cell]}>
                  {row[cell]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </HTMLTable>
    </section>
  )
}
