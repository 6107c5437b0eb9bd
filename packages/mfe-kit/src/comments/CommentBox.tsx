import { LIMITS } from '@iodine/contracts'
import { Button, formatCount, isApple, TextArea, useDebounce, useDraft } from '@iodine/ui'
import { Menu, MenuItem } from '@iodine/ui/overlays'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useHost } from '../use-host'
import styles from './comments.module.css'
import { typedMention } from './mentions'
import { usePeople } from './queries'

/** Time after a key press until people are searched, in milliseconds. */
const SEARCH_AFTER_MS = 150
/** Remaining characters from which the number of characters is shown. */
const NEAR_LIMIT = 200

export interface CommentBoxProps {
  /** Name of the draft, unique for the user; without it none is kept. */
  draft?: string | undefined
  initial?: string
  label: string
  submitLabel: string
  autoFocus?: boolean
  /** Resolves to whether the text was stored. `key` stays the same for retries of one text. */
  onSubmit: (content: string, key: string | undefined) => Promise<boolean>
  onCancel?: () => void
}

const newKey = (): string => (window.isSecureContext ? crypto.randomUUID() : '')

/** A text field for a comment, with completion of usernames after `@`. */
export function CommentBox({ draft: name, initial = '', ...props }: CommentBoxProps) {
  const { label, submitLabel, autoFocus = false, onSubmit, onCancel } = props
  const { session } = useHost()
  const empty = { text: initial, key: '' }
  const [draft, setDraft] = useDraft(name && `${session.user.id}:comment:${name}`, empty)
  const [isPending, setPending] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const setText = (text: string) =>
    setDraft(({ key }) => ({ text, key: text === initial ? '' : key || newKey() }))
  const completion = useCompletion(draft.text, field, setText)

  const length = [...draft.text].length
  const canSubmit = draft.text.trim() !== '' && length <= LIMITS.commentMax && !isPending
  const submit = async () => {
    if (!canSubmit) return
    setPending(true)
    if (await onSubmit(draft.text, draft.key || undefined)) setDraft(empty)
    setPending(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (completion.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit()
    else if (event.key === 'Escape' && onCancel) onCancel()
    else return
    event.preventDefault()
  }
  return (
    <div className={styles.box}>
      <TextArea
        inputRef={field}
        fill
        autoResize
        autoFocus={autoFocus}
        dir="auto"
        rows={2}
        aria-label={label}
        placeholder={label}
        value={draft.text}
        intent={length > LIMITS.commentMax ? 'danger' : 'none'}
        onChange={event => {
          setText(event.currentTarget.value)
          completion.look(event.currentTarget)
        }}
        onBlur={completion.close}
        onKeyDown={onKeyDown}
        {...completion.field}
      />
      {completion.menu}
      <div className={styles.actions}>
        <span className={styles.hint} role="status">
          {length > LIMITS.commentMax - NEAR_LIMIT
            ? `${formatCount(length)} of ${formatCount(LIMITS.commentMax)} characters`
            : draft.text !== initial && `@ mentions a person. ${isApple() ? '⌘' : 'Ctrl+'}Enter sends.`}
        </span>
        {onCancel && <Button size="small" variant="minimal" text="Cancel" onClick={onCancel} />}
        <Button
          size="small"
          intent="primary"
          text={submitLabel}
          disabled={!canSubmit}
          loading={isPending}
          onClick={() => void submit()}
        />
      </div>
    </div>
  )
}

/** Completes the username at the caret: a list of people, the keys that choose one, and attributes of the field. */
function useCompletion(
  text: string,
  field: { current: HTMLTextAreaElement | null },
  setText: (text: string) => void,
) {
  const [typed, setTyped] = useState<{ name: string; start: number }>()
  const [chosen, setChosen] = useState(0)
  const caret = useRef<number>(undefined)
  const [search] = useDebounce(typed?.name ?? '', SEARCH_AFTER_MS)
  const { data } = usePeople(typed ? search : '')
  const people = typed ? (data?.users ?? []) : []
  const id = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret moves once the completed text is shown
  useEffect(() => {
    if (caret.current !== undefined) field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  }, [text, field])

  const close = () => setTyped(undefined)
  const look = ({ value, selectionStart }: HTMLTextAreaElement) => {
    setTyped(typedMention(value, selectionStart))
    setChosen(0)
  }
  const complete = (username: string) => {
    if (!typed) return
    const before = `${text.slice(0, typed.start)}@${username} `
    caret.current = before.length
    setText(before + text.slice(typed.start + typed.name.length + 1))
    close()
  }
  /** Returns whether the list has handled the key. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const { key } = event
    const person = people[chosen]
    if (!person || event.ctrlKey || event.metaKey) return false
    if (key === 'ArrowDown') setChosen((chosen + 1) % people.length)
    else if (key === 'ArrowUp') setChosen((chosen + people.length - 1) % people.length)
    else if (key === 'Enter' || key === 'Tab') complete(person.username)
    else if (key === 'Escape') close()
    else return false
    event.preventDefault()
    return true
  }
  return {
    close,
    look,
    onKeyDown,
    field: {
      'aria-autocomplete': 'list' as const,
      ...(people.length > 0 && { 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` }),
    },
    menu: people.length > 0 && (
      <Menu id={id} className={styles.people ?? ''} role="listbox" aria-label="People" size="small">
        {people.map(({ id: userId, username }, n) => (
          <MenuItem
            key={userId}
            id={`${id}-${n}`}
            roleStructure="listoption"
            selected={n === chosen}
            text={username}
            tabIndex={-1}
            // The field keeps the focus.
            onMouseDown={event => event.preventDefault()}
            onClick={() => complete(username)}
          />
        ))}
      </Menu>
    ),
  }
}
