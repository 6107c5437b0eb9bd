import { FormGroup, HTMLSelect } from '@iodine/ui'
import { useId } from 'react'
import { firstLines } from '../../model/import-questions'
import styles from './Preview.module.css'

export interface EncodingChoiceProps {
  proposed: readonly string[]
  /** First bytes of the file. */
  head: Uint8Array
  value: string | undefined
  onChange: (encoding: string) => void
}

/** Asks for the encoding of a text, with its first lines in it. */
export function EncodingChoice({ proposed, head, value, onChange }: EncodingChoiceProps) {
  const id = useId()
  const encoding = value ?? proposed[0]
  return (
    <div>
      <FormGroup
        label="Encoding"
        labelFor={id}
        helperText="The file does not state it. Choose the one in which the text below is readable."
      >
        <HTMLSelect
          id={id}
          value={encoding}
          options={[...proposed]}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        />
      </FormGroup>
      {encoding && (
        <pre className={styles.text} dir="auto">
          {firstLines(head, encoding).join('\n')}
        </pre>
      )}
    </div>
  )
}
