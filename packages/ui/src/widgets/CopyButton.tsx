import { Button, type ButtonProps } from '@blueprintjs/core'
import { ClipboardIcon } from '@blueprintjs/icons'
import { useState } from 'react'

export interface CopyButtonProps extends Pick<ButtonProps, 'className' | 'variant' | 'size' | 'title'> {
  value: string
  /** The value's name in the button's accessible name: 'the record’s ID'. */
  name: string
  /** The button's text until it is pressed; without it, an icon alone. */
  text?: string
}

/** A button that copies a value to the clipboard, and shows the result until it loses the focus. */
export function CopyButton({ value, name, text, ...look }: CopyButtonProps) {
  const [result, setResult] = useState<'Copied' | 'Not copied'>()
  // The Clipboard API requires a secure context.
  if (!window.isSecureContext) return null
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setResult('Copied'),
      () => setResult('Not copied'),
    )
  return (
    <Button
      {...look}
      icon={<ClipboardIcon size={look.size === 'small' ? 12 : 16} />}
      text={result ?? text}
      aria-label={result ? `${result}: ${name}` : `Copy ${name}`}
      onClick={() => void copy()}
      onBlur={() => setResult(undefined)}
    />
  )
}
