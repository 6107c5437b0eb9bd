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
  /** Language of title and description; default English. */
  lang?: 'fr'
  /** Language of the description, if it differs from the title's. */
  descriptionLang?: 'en'
  /** In milliseconds, default 5000; at least 7000 with a button. */
  duration?: number
  /** Whether it has a close button; default true. */
  closable?: boolean
  /** A button that also closes the toast, such as Undo. */
  action?: ToastAction
  /** Several buttons, below the text; each closes the toast. */
  actions?: readonly ToastAction[]
  /** Distinguishes toasts with the same text, which otherwise share one toast with a counter. */
  key?: string
  /** Default 'bottom'. */
  position?: 'top' | 'top-left' | 'top-right' | 'bottom' | 'bottom-left' | 'bottom-right'
}

/** Minimum duration of a toast with a button, in milliseconds, so that users can reach it. */
const ACTION_DURATION_MIN_MS = 7_000

/** Maximum number of toasts per position; the oldest is removed. */
const TOASTS_MAX = 3

const toasters = new Map<string, Promise<Toaster>>()

/** How often each visible toast has been shown, by its key. */
const shown = new Map<string, number>()

/**
 * Shows a toast. Each position of the page has one stack of toasts. If the toast is already visible, its counter
 * increases and its duration restarts.
 */
export async function showToast(toast: ToastMessage): Promise<void> {
  const { title, description, status, duration = 5000, closable = true, position = 'bottom' } = toast
  const { action, actions } = toast
  const shownFor = action || actions ? Math.max(duration, ACTION_DURATION_MIN_MS) : duration
  let toaster = toasters.get(position)
  if (!toaster) {
    toaster = OverlayToaster.create({ position, canEscapeKeyClear: false, maxToasts: TOASTS_MAX })
    toasters.set(position, toaster)
  }
  const key = JSON.stringify([position, status, title, description, toast.key])
  const opened = await toaster
  const times = (shown.get(key) ?? 0) + 1
  shown.set(key, times)
  // A toast that fades out still receives clicks: ignore the second click of a double click.
  const once =
    ({ onClick }: ToastAction) =>
    () => {
      if (!shown.delete(key)) return
      opened.dismiss(key)
      onClick()
    }
  // Blueprint does not find a toast that React has not rendered yet, and would duplicate it.
  flushSync(() =>
    opened.show(
      {
        ...LOOKS[status],
        // Blueprint restarts its timer only if the timeout changes.
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
