import { PRODUCT_NAME } from '@iodine/contracts'
import { Button, Callout, FormGroup, InputGroup, Intent, Loading, Switch, Tag } from '@iodine/ui'
import { type FormEvent, useState } from 'react'
import { Failure } from '../shared/failures'
import { type PageCapture, sendRequest } from '../shared/messages'
import { KnownHere } from './KnownHere'
import styles from './Popup.module.css'
import { QueueState } from './QueueState'
import { type CurrentTab, type StatusProps, useStatus, useTab } from './use-status'

/** The popup of the toolbar button: the account, the actions for this page, and the queue. */
export function Popup() {
  const { status, problem, attempt } = useStatus()
  const { tab, refreshTab } = useTab()
  const isSignedIn = status?.account && !status.account.ended

  return (
    <main className={styles.popup}>
      <header className={styles.header}>
        <h1 className={styles.title}>{PRODUCT_NAME} collector</h1>
        {status?.account && <span className={styles.muted}>{status.account.name}</span>}
      </header>
      {problem && (
        <Callout intent={Intent.DANGER} role="alert" compact>
          {problem}
        </Callout>
      )}
      {!status && !problem && <Loading />}
      {status && !isSignedIn && <SignIn status={status} attempt={attempt} />}
      {status?.problem && status.problem !== problem && (
        <Callout intent={Intent.DANGER} compact>
          {status.problem}.
        </Callout>
      )}
      {isSignedIn && tab && <ThisPage tab={tab} attempt={attempt} refreshTab={refreshTab} />}
      {isSignedIn && status.reading && tab?.status.marking && (
        <KnownHere tabId={tab.tabId} server={status.server} overlay={status.overlay} />
      )}
      {status?.account && <QueueState status={status} attempt={attempt} />}
      <footer className={styles.footer}>
        <a href="options.html" target="_blank" rel="noreferrer">
          Options
        </a>
        <a href="privacy.html" target="_blank" rel="noreferrer">
          Privacy
        </a>
        {isSignedIn && (
          <Button
            variant="minimal"
            size="small"
            text="Sign out"
            onClick={() => attempt(() => sendRequest('signOut', {}))}
          />
        )}
      </footer>
    </main>
  )
}

function SignIn({ status, attempt }: StatusProps) {
  const [code, setCode] = useState('')
  const [working, setWorking] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setWorking(true)
    await attempt(() => sendRequest('signIn', { code }))
    setWorking(false)
  }
  return (
    <form onSubmit={submit}>
      {status.account?.ended && (
        <Callout intent={Intent.WARNING} compact>
          Your session has ended. Sign in again to send the collected records.
        </Callout>
      )}
      <FormGroup
        label="Extension code"
        labelFor="code"
        helperText={
          <>
            On the dashboard of{' '}
            <a href={status.server} target="_blank" rel="noreferrer">
              {status.server}
            </a>
            , press Generate Code
          </>
        }
      >
        <InputGroup
          id="code"
          value={code}
          onValueChange={setCode}
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
      </FormGroup>
      <Button
        type="submit"
        intent={Intent.PRIMARY}
        fill
        text="Sign in"
        disabled={!code.trim()}
        loading={working}
      />
    </form>
  )
}

interface ThisPageProps extends Pick<StatusProps, 'attempt'> {
  tab: CurrentTab
  refreshTab: () => void
}

function ThisPage({ tab, attempt, refreshTab }: ThisPageProps) {
  const { tabId, status } = tab
  const [working, setWorking] = useState(false)
  const [result, setResult] = useState('')
  if (status.refusal) return <p className={styles.muted}>{status.refusal}.</p>

  const collect = async (what: 'own' | 'all') => {
    setWorking(true)
    setResult('')
    await attempt(async () => {
      const { queued, invalid, absence } = await sendRequest('collect', { tabId, what })
      setResult(absence ? `${absence}.` : `${queued} collected`)
      if (invalid.length > 0) throw new Failure('unfit', { fields: invalid.join(', ') })
    })
    refreshTab()
    setWorking(false)
  }
  /**
   * Requests the site's permission. Firefox requires the call within the handler of the user's action, before any
   * `await`. The browser asks the user only the first time; it may close the popup meanwhile.
   */
  const permitted = () => chrome.permissions.request({ origins: [status.pattern] })
  const change = (work: () => Promise<unknown>) => attempt(work).then(refreshTab)

  const isBlog = status.source === 'blog'
  return (
    <section className={styles.section} aria-label="This page">
      <h2 className={styles.heading}>{status.host}</h2>
      <div className={styles.buttons}>
        <Button
          intent={Intent.PRIMARY}
          text={isBlog ? 'Collect this article' : 'Collect this post'}
          onClick={() => collect('own')}
          disabled={working}
        />
        {!isBlog && (
          <Button text="Collect all visible posts" onClick={() => collect('all')} disabled={working} />
        )}
      </div>
      <output className={styles.muted}>{result}</output>
      {status.capture && <CaptureState capture={status.capture} />}
      {status.ended && (
        <Callout intent={Intent.WARNING} compact>
          {status.ended}.
        </Callout>
      )}
      <Switch
        label="Keep collecting on this page"
        checked={status.keeping}
        onChange={({ currentTarget: { checked: on } }) =>
          change(async () => {
            // Without the permission, only lists fetched from now on are read; with it, all since the page load.
            const asked = on && status.source === 'tiktok' ? permitted() : undefined
            await sendRequest('keep', { tabId, on })
            await asked
          })
        }
      />
      <Switch
        label={`Mark known IODs on ${status.host}`}
        checked={status.marking}
        onChange={({ currentTarget: { checked: on } }) =>
          change(async () => {
            const asked = on ? permitted() : undefined
            const mark = () => sendRequest('markSite', { tabId, pattern: status.pattern, on })
            if (await mark()) return
            if (!(await asked)) throw new Failure('markingPermission', { host: status.host })
            await mark()
          })
        }
      />
    </section>
  )
}

function CaptureState({ capture: { state, seq, reason } }: { capture: PageCapture }) {
  if (state === 'sealed' && seq !== null)
    return (
      <div className={styles.tags}>
        <Tag minimal intent={Intent.SUCCESS}>
          Sealed as no. {seq.toLocaleString('en-US')}
        </Tag>
      </div>
    )
  return (
    <p className={styles.muted}>
      {state === 'waiting' ? 'A capture of this page waits to be sealed.' : `Not sealed: ${reason}`}
    </p>
  )
}
