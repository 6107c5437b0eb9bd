import { LIMITS } from '@iodine/contracts'
import { errorToast, useHost } from '@iodine/mfe-kit'
import { AnchorButton, Button, Card, CopyButton } from '@iodine/ui'
import { DownloadIcon, KeyIcon } from '@iodine/ui/icons'
import { useCallback, useEffect, useState } from 'react'
import { useBusy } from '../app/use-busy'
import styles from './Overview.module.css'

interface ShownCode {
  code: string
  /** Expiry time, in milliseconds since the epoch. */
  endsAt: number
}

/** A link that installs the browser extension, and the code that signs it in. Firefox has a file of its own. */
export function ExtensionCard() {
  const { api, config, notify } = useHost()
  const isFirefox = navigator.userAgent.includes('Firefox/')
  const url = isFirefox ? config.extension_firefox_url : config.extension_url
  const [shown, setShown] = useState<ShownCode | null>(null)

  const { isBusy, run } = useBusy(() =>
    notify(errorToast(null, 'Failed to generate extension code', { duration: 3000 })),
  )
  const generate = async () => {
    const { code } = await api.call('POST /auth/generate-extension-code')
    setShown({ code, endsAt: Date.now() + LIMITS.extensionCodeMs })
  }

  return (
    <Card className={styles.card}>
      <h2 className={styles.cardTitle}>Browser extension</h2>
      <p className={styles.muted}>
        Collect posts and articles while you read them. Install the extension, then connect it to your account
        with a code.
      </p>
      <div className={styles.row}>
        {url && (
          <AnchorButton
            href={url}
            target="_blank"
            rel="noreferrer"
            icon={<DownloadIcon />}
            text="Install extension"
          />
        )}
        <Button icon={<KeyIcon />} text="Generate Code" onClick={() => void run(generate)} loading={isBusy} />
      </div>
      {shown && <Code key={shown.code} {...shown} onEnd={() => setShown(null)} />}
      {/\.zip$/.test(url) && (
        <ol className={styles.howTo}>
          <li>Press Install extension, and unpack the zip file into a folder that you keep.</li>
          <li>
            Open chrome://extensions, switch on Developer mode, choose Load unpacked and pick that folder.
          </li>
          <li>Press Generate Code here, click the extension in the toolbar, and enter the code.</li>
        </ol>
      )}
      {/\.xpi$/.test(url) && (
        <>
          <ol className={styles.howTo}>
            <li>Press Install extension, and allow Firefox to add it.</li>
            <li>Open the extensions menu of the toolbar, and pin the extension.</li>
            <li>Press Generate Code here, click the extension in the toolbar, and enter the code.</li>
          </ol>
          <p className={styles.muted}>
            If Firefox refuses the file because it is not signed: right-click Install extension and save the
            file. Open about:debugging, choose This Firefox, then Load Temporary Add-on, and pick the file.
            Firefox removes the extension when it closes.
          </p>
        </>
      )}
    </Card>
  )
}

function Code({ code, endsAt, onEnd }: ShownCode & { onEnd: () => void }) {
  const [left, setLeft] = useState(endsAt - Date.now())

  useEffect(() => {
    const tick = setInterval(() => {
      setLeft(endsAt - Date.now())
      if (Date.now() >= endsAt) onEnd()
    }, 1000)
    return () => clearInterval(tick)
  }, [endsAt, onEnd])

  // The new button may be below the visible area.
  const show = useCallback((element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' }), [])

  return (
    <div ref={show} className={styles.code}>
      <output aria-label="Extension code" className={styles.codeText}>
        {code}
      </output>
      <CopyButton variant="minimal" value={code} name="the code" text="Copy" />
      <span className={styles.muted}>
        Valid for 5 minutes<span aria-hidden> · {formatLeft(left)} left</span>
      </span>
    </div>
  )
}

/** Formats milliseconds as '4:05'. */
function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
