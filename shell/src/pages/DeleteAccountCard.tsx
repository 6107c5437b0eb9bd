import { LIMITS } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { Checkbox, TextField } from '@iodine/ui'
import { DialogButton, DialogForm } from '@iodine/ui/overlays'
import { useState } from 'react'
import styles from './Profile.module.css'
import { ProfileCard } from './ProfileCard'

const DAYS = LIMITS.deletionDelayMs / 86_400_000

/** Deletes the account after a typed confirmation and a mailed link. */
export function DeleteAccountCard() {
  return (
    <ProfileCard
      title="Delete account"
      about={
        <>
          Your profile, AI key, collected data and narratives are deleted. Your IODs, votes, comments and
          campaigns stay without your name. You have {DAYS} days to change your mind.
        </>
      }
    >
      <div className={styles.row}>
        <DialogButton
          button={{ intent: 'danger', variant: 'outlined', text: 'Delete account' }}
          title="Delete your account"
        >
          {close => <DeletionForm onClose={close} />}
        </DialogButton>
      </div>
    </ProfileCard>
  )
}

function DeletionForm({ onClose }: { onClose: () => void }) {
  const { api, session } = useHost()
  const { email, username } = session.user
  const [typed, setTyped] = useState('')
  const [delete_comments, setDeleteComments] = useState(false)
  const expected = username ?? email
  const given = typed
    .trim()
    .replace(/^@(?=\w)/, '')
    .toLowerCase()
  const isConfirmed = given === email || given === username?.toLowerCase()

  const ask = useAction({
    mutationFn: () => api.call('POST /profile/deletion', { body: { confirm: typed, delete_comments } }),
    done: {
      title: 'Check your email',
      description: `The link in it deletes your account. It works once, within ${LIMITS.deletionLinkMs / 60_000} minutes.`,
    },
    failed: 'Unable to request the deletion',
  })
  return (
    <DialogForm submitLabel="Send link" canSubmit={isConfirmed} onSubmit={ask.run} onClose={onClose}>
      <p className={styles.once}>
        We send a link to <bdi>{email}</bdi>. Once you confirm there, you are signed out everywhere, and your
        account is deleted after {DAYS} days. Until then, you can sign in and keep it.
      </p>
      <TextField
        label={
          <>
            To continue, type <strong dir="auto">{expected}</strong>
          </>
        }
        autoComplete="off"
        autoCapitalize="none"
        autoFocus
        spellCheck={false}
        value={typed}
        onValueChange={setTyped}
      />
      <Checkbox
        label="Delete my comments too"
        checked={delete_comments}
        onChange={event => setDeleteComments(event.currentTarget.checked)}
      />
    </DialogForm>
  )
}
