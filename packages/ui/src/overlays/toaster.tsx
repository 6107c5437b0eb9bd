import { OverlayToaster, type Toaster } from '@blueprintjs/core'
import { ErrorIcon, InfoSignIcon, TickCircleIcon, WarningSignIcon } from '../icons'
import styles from './toaster.module.css'

const LOOKS = {
  info: { intent: 'primary', icon: <InfoSignIcon /> },
  success: { intent: 'success', icon: <TickCircleIcon /> },
  warning: { intent: 'warning', icon: <WarningSignIcon /> },
  error: { intent: 'danger', icon: <ErrorIcon /> },
} as const

export interface ToastMessage {
  title: string
  description?: string
  status: keyof typeof LOOKS
  /** In milliseconds, default 5000. */
  duration?: number
  /** Whether it has a close button; default true. */
  closable?: boolean
  /** Default 'bottom'. */
  position?: 'top' | 'top-left' | 'top-right' | 'bottom' | 'bottom-left' | 'bottom-right'
}

const toasters = new Map<string, Promise<Toaster>>()

/** Shows a toast. Each position of the page has one stack of toasts. */
export async function showToast(toast: ToastMessage): Promise<void> {
  const { title, description, status, duration = 5000, closable = true, position = 'bottom' } = toast
  let toaster = toasters.get(position)
  if (!toaster) {
    toaster = OverlayToaster.create({ position, canEscapeKeyClear: false })
    toasters.set(position, toaster)
  }
  ;(await toaster).show({
    ...LOOKS[status],
    timeout: duration,
    isCloseButtonShown: closable,
    message: (
      <div className={styles.message}>
        <strong>{title}</strong>
        {description && <div>{description}</div>}
      </div>
    ),
  })
}
