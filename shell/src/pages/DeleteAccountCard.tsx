import { LIMITS } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { Button, Card, FormGroup, InputGroup } from '@iodine/ui'
import { Dialog, DialogForm } from '@iodine/ui/overlays'
import { useId, useState } from 'react'
import styles from './Profile.module.css'

const DAYS = LIMITS.deletionDelayMs / 86_400_000

/** Deletes the account after a typed confirmation and a mailed link. */
export function DeleteAccountCard() {
  const [asking, setAsking] = useState(false)
  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Delete account</h2>
      <p className={styles.muted}>
        Your profile, AI key, collected data and narratives are deleted. Your IODs, votes and campaigns stay
        without your name. You have {DAYS} days to change your mind.
      </p>
      <div className={styles.row}>
        <Button intent="danger" variant="outlined" text="Delete account" onClick={() => setAsking(true)} />
      </div>
      <Dialog
        isOpen={asking}
        onClose={() => setAsking(false)}
        title="Delete your account"
        canOutsideClickClose={false}
      >
        <DeletionForm onClose={() => setAsking(false)} />
      </Dialog>
    </Card>
  )
}

function DeletionForm({ onClose }: { onClose: () => void }) {
  const { api, session } = useHost()
  const { email, username } = session.user
  const [typed, setTyped] = useState('')
  const id = useId()
  const expected = username ?? email
  const given = typed
    .trim()
    .replace(/^@(?=\w)/, '')
    .toLowerCase()
  const isConfirmed = given === email || given === username?.toLowerCase()

  const ask = useAction({
    mutationFn: () => api.call('POST /profile/deletion', { body: { confirm: typed } }),
    done: {
      title: 'Check your email',
      description: `The link in it deletes your account. It works once, within ${LIMITS.deletionLinkMs / 60_000} minutes.`,
    },
    failed: 'Unable to request the deletion',
  })
  return (
    <DialogForm submitLabel="Send link" canSubmit={isConfirmed} onSubmit={ask.run} onClose={onClose}>
      <p className={styles.once}>
        We send a link to <bdi className={styles.value}>{email}</bdi>. Once you confirm there, you are signed
        out everywhere, and your account is deleted after {DAYS} days. Until then, you can sign in and keep
        it.
      </p>
      <FormGroup
        label={
          <>
            To continue, type <strong dir="auto">{expected}</strong>
          </>
        }
        labelFor={id}
      >
        <InputGroup
          id={id}
          autoComplete="off"
          autoCapitalize="none"
          autoFocus
          spellCheck={false}
          value={typed}
          onValueChange={setTyped}
        />
      </FormGroup>
    </DialogForm>
  )
}
