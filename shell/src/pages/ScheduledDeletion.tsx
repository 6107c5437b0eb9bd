import { errorToast } from '@iodine/mfe-kit'
import { Button, formatLongDate } from '@iodine/ui'
import { useEffect, useState } from 'react'
import { useShell } from '../app/HostProvider'
import { useLogout } from '../session/use-logout'
import styles from './EntryAction.module.css'
import { EntryLayout } from './EntryLayout'

/** The only page of an account scheduled for deletion: the date, and a button that keeps the account. */
export function ScheduledDeletion({ deleteAt }: { deleteAt: string }) {
  const { api, notify, session } = useShell()
  const logout = useLogout()
  const [working, setWorking] = useState(false)
  const title = `Your account will be deleted on ${formatLongDate(deleteAt)}`
  useEffect(() => {
    document.title = title
  }, [title])

  const keep = async () => {
    setWorking(true)
    try {
      await api.call('DELETE /profile/deletion')
      await session.reload()
      notify({ title: 'Your account is kept', status: 'success', duration: 3000 })
    } catch (error) {
      notify(errorToast(error, 'Unable to keep your account'))
      setWorking(false)
    }
  }
  return (
    <EntryLayout>
      <div className={styles.page}>
        <h1 className={styles.title}>{title}</h1>
        <p>
          You requested this. Nothing is deleted before that day. After it, the account cannot be restored.
          Your IODs, votes and campaigns will stay without your name.
        </p>
        <div className={styles.actions}>
          <Button
            size="large"
            fill
            intent="primary"
            loading={working}
            text="Keep my account"
            onClick={keep}
          />
          <Button size="large" fill disabled={working} text="Sign out" onClick={logout} />
        </div>
      </div>
    </EntryLayout>
  )
}
