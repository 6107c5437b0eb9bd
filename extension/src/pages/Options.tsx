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
          label="Server URL"
          labelFor="server"
          helperText="Changing it signs you out. Unsent records stay here until you sign in to the previous server again."
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
        label="Seal a copy of collected pages"
        checked={status.sealing}
        onChange={({ currentTarget: { checked: on } }) => attempt(() => sendRequest('setSealing', { on }))}
      />
      <p className={styles.muted}>
        Collect and + IOD also send the page’s text, HTML and pictures. Collect this post or article adds a
        screenshot. The server seals them, so that others can check your quotes. Keep collecting sends no
        copies.
      </p>
      <Switch
        label="Recognize repeated pictures"
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
        Finds posts with the same or a similar picture. The collector loads the pictures of collected posts
        again from their hosts, without your cookies, and sends their SHA-256 and perceptual hashes. It does
        not send the pictures.
      </p>
      <h2>While reading</h2>
      <Switch
        label="Mark known IODs and offer + IOD on the sites that I chose in the popup"
        checked={status.reading}
        onChange={({ currentTarget: { checked: on } }) => attempt(() => sendRequest('setReading', { on }))}
      />
      <p>
        <a href="privacy.html">Data that leaves the browser</a>
      </p>
    </>
  )
}
