import { LIMITS } from '@iodine/contracts'
import { Button, Callout, FileButton, FormGroup, formatCount, TextArea } from '@iodine/ui'
import { DocumentIcon } from '@iodine/ui/icons'
import { type DragEvent, useDeferredValue, useId, useMemo, useState } from 'react'
import {
  type CheckedValue,
  decodeList,
  describeList,
  FILE_BYTES,
  listFault,
  listOfCells,
  readList,
  UnreadableList,
} from '../model/check-list'
import styles from './CheckListPage.module.css'

/**
 * Reads the values of a text or CSV file, one a line.
 * @throws UnreadableList if it is too large or no text
 */
const readFile = async (file: File): Promise<string> => {
  if (file.size > FILE_BYTES) throw new UnreadableList(`“${file.name}” is larger than 16 MiB.`)
  const text = decodeList(new Uint8Array(await file.arrayBuffer()), file.name)
  if (!/\.csv$/i.test(file.name)) return text
  const { readRows } = await import('@iodine/exchange')
  return listOfCells(readRows(text))
}

/** Appends the values of a file to the list; `fileFault` states why they could not be read. */
function useListFile(text: string, onTextChange: (text: string) => void) {
  const [fileFault, setFileFault] = useState<string>()
  const take = async (file: File) => {
    setFileFault(undefined)
    try {
      const added = await readFile(file)
      onTextChange(text.trim() === '' ? added : `${text.replace(/\n$/, '')}\n${added}`)
    } catch (error) {
      setFileFault(error instanceof UnreadableList ? error.message : `“${file.name}” could not be read.`)
    }
  }
  return { fileFault, setFileFault, take }
}

export interface ListInputProps {
  text: string
  onTextChange: (text: string) => void
  onCheck: (values: CheckedValue[]) => void
}

/** The form that takes a list: typed, pasted, dropped or from a file. */
export function ListInput({ text, onTextChange, onCheck }: ListInputProps) {
  // A long list takes a while to read: typing goes on meanwhile.
  const read = useDeferredValue(text)
  const list = useMemo(() => readList(read), [read])
  const { fileFault, setFileFault, take } = useListFile(text, onTextChange)
  const [isOver, setOver] = useState(false)
  const id = useId()
  const fault = fileFault ?? listFault(list)
  const { length } = list.values
  const drop = (event: DragEvent) => {
    setOver(false)
    const [file] = event.dataTransfer.files
    // A dropped text is the text area's.
    if (!file) return
    event.preventDefault()
    void take(file)
  }
  return (
    <form
      className={styles.input}
      onSubmit={event => {
        event.preventDefault()
        onCheck(list.values)
      }}
      onDragOver={event => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <FormGroup
        label="Values, one per line"
        labelFor={id}
        helperText={`Up to ${formatCount(LIMITS.checkedValuesMax)}. Defanged values such as hxxps://example[.]org are read too.`}
      >
        <TextArea
          id={id}
          className={isOver ? `${styles.text} ${styles.over}` : styles.text}
          fill
          dir="auto"
          spellCheck={false}
          placeholder="Paste values, or drop a text or CSV file here"
          value={text}
          onChange={event => {
            setFileFault(undefined)
            onTextChange(event.target.value)
          }}
        />
      </FormGroup>
      {fault && (
        <Callout role="alert" intent="danger" compact>
          {fault}
        </Callout>
      )}
      <div className={styles.buttons}>
        <FileButton
          icon={<DocumentIcon />}
          text="Choose file"
          accept=".txt,.csv,text/plain,text/csv"
          onFiles={([file]) => void take(file)}
        />
        <Button
          type="submit"
          intent="primary"
          text="Check"
          disabled={read !== text || length === 0 || listFault(list) !== undefined}
        />
        <span className={styles.meta} role="status">
          {text !== '' && describeList(list)}
        </span>
      </div>
    </form>
  )
}
