import { errorToast } from '@iodine/mfe-kit'
import { Button, formatLongDate } from '@iodine/ui'
import { useShell } from '../app/HostProvider'
import { useBusy } from '../app/use-busy'
import { useLogout } from '../session/use-logout'
import { EntryAction } from './EntryAction'
import { EntryLayout } from './EntryLayout'

/** The only page of an account scheduled for deletion: the date, and a button that keeps the account. */
export function ScheduledDeletion({ deleteAt }: { deleteAt: string }) {
  const { api, notify, session } = useShell()
  const logout = useLogout()
  const { isBusy, run } = useBusy(error => notify(errorToast(error, 'Unable to keep your account')))
  const keep = async () => {
    await api.call('DELETE /profile/deletion')
    await session.reload()
    notify({ title: 'Your account is kept', status: 'success', duration: 3000 })
  }
  return (
    <EntryLayout>
      <EntryAction
        title={`Your account will be deleted on ${formatLongDate(deleteAt)}`}
        actions={
          <>
            <Button
              size="large"
              fill
              intent="primary"
              loading={isBusy}
              text="Keep my account"
              onClick={() => void run(keep)}
            />
            <Button size="large" fill disabled={isBusy} text="Sign out" onClick={logout} />
          </>
        }
      >
        <p>
          You requested this. Nothing is deleted before that day. After it, the account cannot be restored.
          Your IODs, votes and campaigns will stay without your name, and your comments unless you chose to
          delete them.
        </p>
      </EntryAction>
    </EntryLayout>
  )
}
