import { Button, InputGroup } from '@blueprintjs/core'
import { useEffect, useRef } from 'react'
import { useKeyDown } from '../hooks/use-key-down'
import { CrossIcon, SearchIcon } from '../icons'
import { isTyping } from '../is-typing'

export interface SearchInputProps {
  value: string
  onChange: (value: string) => void
  placeholder: string
  className?: string
  /** Whether '/' anywhere on the page focuses the field; default true. */
  hotkey?: boolean
  /** Whether the field has the focus from the start; default false. */
  autoFocus?: boolean
}

/** A search field. Its placeholder is also its label. */
export function SearchInput(props: SearchInputProps) {
  const { value, onChange, placeholder, className, hotkey = true, autoFocus = false } = props
  const input = useRef<HTMLInputElement>(null)
  useKeyDown(
    event => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return
      event.preventDefault()
      input.current?.focus()
    },
    { enabled: hotkey },
  )
  useEffect(() => {
    if (!autoFocus) return
    // Blueprint moves the focus into a dialog one frame after it opens. A dialog below it reclaims any earlier focus.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => input.current?.focus())
    })
    return () => cancelAnimationFrame(frame)
  }, [autoFocus])
  return (
    <InputGroup
      type="search"
      inputRef={input}
      className={className}
      leftIcon={<SearchIcon />}
      placeholder={placeholder}
      aria-label={placeholder}
      value={value}
      onValueChange={onChange}
      rightElement={
        value ? (
          <Button
            variant="minimal"
            icon={<CrossIcon />}
            aria-label="Clear search"
            onClick={() => onChange('')}
          />
        ) : undefined
      }
    />
  )
}
