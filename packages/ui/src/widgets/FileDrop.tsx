import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../blueprint'
import { UploadIcon } from '../icons'
import styles from './FileDrop.module.css'

export interface FileDropProps {
  /** Text of the button. */
  text: string
  /** Text beside the button. */
  hint: ReactNode
  /** Accessible name of the file input. */
  label: string
  /** Accepted types, as the attribute of the same name; dropped files are not checked. */
  accept?: string
  /** Whether several files can be chosen at once; default false. */
  multiple?: boolean
  /** Called with at least one file. */
  onFiles: (files: File[]) => void
}

/** An area on which files are dropped, with a button that chooses them. */
export function FileDrop({ text, hint, label, accept, multiple = false, onFiles }: FileDropProps) {
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const take = (list: FileList | null) => {
    const files = [...(list ?? [])].slice(0, multiple ? undefined : 1)
    if (files.length > 0) onFiles(files)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    <div
      className={isOver ? `${styles.drop} ${styles.over}` : styles.drop}
      onDragOver={event => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Button intent="primary" icon={<UploadIcon />} text={text} onClick={() => input.current?.click()} />
      <span className={styles.hint}>{hint}</span>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        aria-label={label}
        className={styles.file}
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          take(currentTarget.files)
          // Without this, selecting the same file again fires no event.
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
