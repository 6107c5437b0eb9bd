import { Classes, isTyping, useKeyDown, useLatest } from '@iodine/ui'
import { type HotkeyConfig, HotkeysContext, useHotkeys } from '@iodine/ui/overlays'
import { use, useCallback, useMemo } from 'react'
import { PANEL } from './panel-focus'

export interface Key extends Pick<HotkeyConfig, 'combo' | 'label'> {
  /** Whether the key applies only in the table. */
  isLocal?: boolean
  /** Whether a held key repeats the action. */
  mayRepeat?: boolean
  /** Returns false if there is nothing to do. A key without an action is only listed: other code handles it. */
  act?: (event: KeyboardEvent) => unknown
}

// Toasts, tooltips and the side panel leave the page usable.
const OVERLAYS = `.${Classes.OVERLAY_OPEN}:not(.${Classes.TOAST_CONTAINER}):not(:has(.${Classes.TOOLTIP}, [${PANEL}]))`

/** Returns whether the page may handle a key: it is unhandled, not typed into a field, and no overlay is open. */
const isFree = ({ defaultPrevented, target }: KeyboardEvent): boolean =>
  !defaultPrevented && !isTyping(target) && !document.querySelector(OVERLAYS)

/**
 * Binds keys and lists them as a group in the dialog of `useKeysDialog`. Text fields, modifiers and open overlays take precedence.
 * Returns the handler for the local keys. Between renders, only the actions of `keys` may change.
 */
export function useKeys(group: string, keys: readonly Key[]) {
  const latest = useLatest(keys)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys stay the same
  const hotkeys = useMemo(
    () =>
      keys.map(
        ({ combo, label, isLocal, mayRepeat }, index): HotkeyConfig => ({
          combo,
          label,
          group,
          global: !isLocal,
          onKeyDown: event => {
            if ((event.repeat && !mayRepeat) || !isFree(event)) return
            const { act } = latest.current[index] ?? {}
            if (act && act(event) !== false) event.preventDefault()
          },
        }),
      ),
    [latest],
  )
  return useHotkeys(hotkeys, { showDialogKeyCombo: false }).handleKeyDown
}

/** Returns a function that opens the list of keys. The key `?` opens it as well, on any keyboard layout. */
export function useKeysDialog(): () => void {
  const [, dispatch] = use(HotkeysContext)
  const open = useCallback(() => dispatch({ type: 'OPEN_DIALOG' }), [dispatch])
  useKeyDown(event => {
    if (event.key !== '?' || event.ctrlKey || event.metaKey || !isFree(event)) return
    event.preventDefault()
    open()
  })
  return open
}
