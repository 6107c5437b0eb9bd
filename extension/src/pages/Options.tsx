import { PRODUCT_NAME } from '@iodine/contracts'
import { Button, Callout, FormGroup, InputGroup, Intent, Loading, Switch } from '@iodine/ui'
import { type FormEvent, useState } from 'react'
import { Failure } from '../shared/failures'
import { sendRequest } from '../shared/messages'
import styles from './Popup.module.css'
import { type StatusProps, useStatus } from './use-status'

/** All sites: pictures are mostly on other hosts than their pages. */
const ALL_SITES = ['https://*/*', 'http://*/*']

/** The options page. */
export function Options() {
  const { status, problem, attempt } = useStatus()
  return (
    <main className={styles.page}>
      <h1>{PRODUCT_NAME} collector: options</h1>
      {problem && (
        <Callout intent={Intent.DANGER} role="alert">
          {problem}
        </Callout>
      )}
      {status ? <Settings key={status.server} status={status} attempt={attempt} /> : <Loading />}
    </main>
  )
}

function Settings({ status, attempt }: StatusProps) {
  const [server, setServer] = useState(status.server)
  const [saved, setSaved] = useState(false)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    setSaved(await attempt(() => sendRequest('setServer', { server })))
  }
  return (
    <>
      <form onSubmit={save}>
        <FormGroup
          label="Server address"
          labelFor="server"
          helperText="Changing it signs you out here. What you have collected for the other server waits."
        >
          <InputGroup id="server" value={server} onValueChange={setServer} spellCheck={false} />
        </FormGroup>
        <Button
          type="submit"
          intent={Intent.PRIMARY}
          text="Save"
          disabled={server.trim() === status.server}
        />
        <output>{saved && server.trim() === status.server ? ' Saved' : ''}</output>
      </form>
      <h2>While collecting</h2>
      <Switch
        label="Keep a sealed copy of what I collect"
        checked={status.sealing}
        onChange={({ currentTarget: { checked: on } }) => attempt(() => sendRequest('setSealing', { on }))}
      />
      <p className={styles.muted}>
        Collect and + IOD also hand over the page’s text, HTML, pictures and, with Collect this post or
        article, a screenshot. The server seals them, so that others can check your quotes. Keep collecting
        never does.
      </p>
      <Switch
        label="Recognize pictures again"
        checked={status.looking}
        onChange={({ currentTarget: { checked: on } }) =>
          attempt(async () => {
            if (on && !(await chrome.permissions.request({ origins: ALL_SITES })))
              throw new Failure('picturesPermission')
            await sendRequest('setLooking', { on })
          })
        }
      />
      <p className={styles.muted}>
        Reads the pictures of what you collect once more from where they are, without your cookies, and sends
        hashes of their bytes and of how they look. The pictures themselves are not sent.
      </p>
      <h2>While reading</h2>
      <Switch
        label="Mark known IODs, and offer + IOD for selected text, on the sites where I switched it on"
        checked={status.reading}
        onChange={({ currentTarget: { checked: on } }) => attempt(() => sendRequest('setReading', { on }))}
      />
      <p>
        <a href="privacy.html">What leaves the browser</a>
      </p>
    </>
  )
}
