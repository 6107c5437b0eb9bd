import { type ComponentProps, useRef } from 'react'
import { Button } from '../blueprint'

export interface FileButtonProps
  extends Pick<ComponentProps<typeof Button>, 'text' | 'icon' | 'intent' | 'disabled' | 'loading'> {
  /** Accepted types, as the attribute of the same name. */
  accept?: string | undefined
  /** Whether several files can be chosen at once; default false. */
  multiple?: boolean
  /** Accessible name of the file input. */
  label?: string
  /** Called with at least one file. */
  onFiles: (files: [File, ...File[]]) => void
}

/** A button that opens the browser's dialog for files. */
export function FileButton({ accept, multiple = false, label, onFiles, ...button }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        multiple={multiple}
        aria-label={label}
        onChange={({ currentTarget }) => {
          const [first, ...others] = currentTarget.files ?? []
          if (first) onFiles([first, ...others])
          // Without this, choosing the same file again fires no event.
          currentTarget.value = ''
        }}
      />
      <Button {...button} onClick={() => input.current?.click()} />
    </>
  )
}
