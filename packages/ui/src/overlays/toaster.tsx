import { Button, OverlayToaster, type Toaster } from '@blueprintjs/core'
import { flushSync } from 'react-dom'
import { ErrorIcon, InfoSignIcon, TickCircleIcon, WarningSignIcon } from '../icons'
import styles from './toaster.module.css'

const LOOKS = {
  info: { intent: 'primary', icon: <InfoSignIcon /> },
  success: { intent: 'success', icon: <TickCircleIcon /> },
  warning: { intent: 'warning', icon: <WarningSignIcon /> },
  error: { intent: 'danger', icon: <ErrorIcon /> },
} as const

export interface ToastAction {
  text: string
  onClick: () => void
}

export interface ToastMessage {
  title: string
  description?: string
  status: keyof typeof LOOKS
  /** Language of title and description, where it is not English. */
  lang?: 'fr'
  /** Language of the description, where it is another than the title's. */
  descriptionLang?: 'en'
  /** In milliseconds, default 5000; at least 7000 with a button. */
  duration?: number
  /** Whether it has a close button; default true. */
  closable?: boolean
  /** A button that also closes the toast, such as Undo. */
  action?: ToastAction
  /** Several such buttons, below the text. */
  actions?: readonly ToastAction[]
  /** Tells toasts of the same text apart, which are counted as one otherwise. */
  key?: string
  /** Default 'bottom'. */
  position?: 'top' | 'top-left' | 'top-right' | 'bottom' | 'bottom-left' | 'bottom-right'
}

/** A toast with a button stays long enough to be read and reached, in milliseconds. */
const REACHED_MS = 7_000

/** The oldest toast goes when there are more of one position. */
const TOASTS_MAX = 3

const toasters = new Map<string, Promise<Toaster>>()

/** How often each toast on screen has been shown, by its key. */
const shown = new Map<string, number>()

/**
 * Shows a toast. Each position of the page has one stack of toasts. A toast that is on screen already is
 * counted in its place, and stays for its whole duration again.
 */
export async function showToast(toast: ToastMessage): Promise<void> {
  const { title, description, status, duration = 5000, closable = true, position = 'bottom' } = toast
  const { action, actions } = toast
  const shownFor = action || actions ? Math.max(duration, REACHED_MS) : duration
  let toaster = toasters.get(position)
  if (!toaster) {
    toaster = OverlayToaster.create({ position, canEscapeKeyClear: false, maxToasts: TOASTS_MAX })
    toasters.set(position, toaster)
  }
  const key = JSON.stringify([position, status, title, description, toast.key])
  const opened = await toaster
  const times = (shown.get(key) ?? 0) + 1
  shown.set(key, times)
  // A toast that fades out still hears clicks: the second one of a double click does nothing.
  const once =
    ({ onClick }: ToastAction) =>
    () => {
      if (!shown.delete(key)) return
      opened.dismiss(key)
      onClick()
    }
  // Blueprint does not find a toast that React has not rendered yet, and would show it twice.
  flushSync(() =>
    opened.show(
      {
        ...LOOKS[status],
        // Only another timeout restarts Blueprint's timer.
        timeout: shownFor + (times % 2),
        isCloseButtonShown: closable,
        action: action && { text: action.text, onClick: once(action) },
        onDismiss: () => shown.delete(key),
        message: (
          <div className={styles.message}>
            <strong lang={toast.lang}>{title}</strong>
            {times > 1 && <span className={styles.times}> ×{times}</span>}
            {description && <div lang={toast.descriptionLang ?? toast.lang}>{description}</div>}
            {actions && (
              <div className={styles.actions}>
                {actions.map(each => (
                  <Button
                    key={each.text}
                    variant="minimal"
                    size="small"
                    text={each.text}
                    onClick={once(each)}
                  />
                ))}
              </div>
            )}
          </div>
        ),
      },
      key,
    ),
  )
}
