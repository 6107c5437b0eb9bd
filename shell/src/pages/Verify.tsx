import type { Verdict } from '@iodine/evidence'
import { type ReportVerification, verifyReport } from '@iodine/evidence/report'
import { verifyWacz, type WaczReport } from '@iodine/evidence/wacz'
import {
  Callout,
  Card,
  DateTime,
  Facts,
  FileDrop,
  formatDateTime,
  PageHeader,
  Spinner,
  TextArea,
} from '@iodine/ui'
import { CrossIcon, TickIcon } from '@iodine/ui/icons'
import { useId, useRef, useState } from 'react'
import { PublicPage } from './PublicPage'
import styles from './Verify.module.css'

const VERDICTS: Record<Verdict, { intent: 'success' | 'danger' | 'warning'; title: string; text: string }> = {
  good: {
    intent: 'success',
    title: 'Unchanged since it was sealed',
    text: 'This content was stored by the time of the seal. It has not changed since.',
  },
  changed: {
    intent: 'danger',
    title: 'Changed',
    text: 'The checks marked below failed. Do not rely on these files.',
  },
  unreadable: {
    intent: 'danger',
    title: 'This file can’t be read',
    text: 'Choose a .wacz file of a capture, or manifest.json, manifest.json.sig and other files of a report.',
  },
  erased: {
    intent: 'warning',
    title: 'Content was removed',
    text: 'The remaining content is unchanged since it was sealed.',
  },
}

interface Checked {
  name: string
  report: WaczReport | ReportVerification
}

/** A page that checks a capture or a published report in the browser. It sends no data and needs no session. */
export function Verify() {
  const [checked, setChecked] = useState<Checked | 'checking' | null>(null)
  const [key, setKey] = useState('')
  const latest = useRef(0)
  const keyId = useId()

  const check = async (files: File[]) => {
    const run = ++latest.current
    setChecked('checking')
    const report = await readFiles(files, key)
    if (run === latest.current) setChecked({ name: files.map(({ name }) => name).join(', '), report })
  }
  return (
    <PublicPage>
      <PageHeader
        title="Verify a capture or a report"
        subtitle="Checks a .wacz file from the evidence of an IOD, or the files of a published report. They do not leave this browser."
      />
      <FileDrop
        text="Choose files"
        hint="or drop a .wacz file here, or a report’s manifest.json, manifest.json.sig and other files"
        label="Files"
        multiple
        onFiles={files => void check(files)}
      />
      <details className={styles.key}>
        <summary>Check the signature with your own copy of the key</summary>
        <label htmlFor={keyId}>
          The server’s public key, in PEM format. Without it, the key in the file is used.
        </label>
        <TextArea
          id={keyId}
          fill
          rows={3}
          value={key}
          onChange={event => setKey(event.currentTarget.value)}
        />
      </details>
      <div aria-live="polite">
        {checked === 'checking' && <Spinner size={24} aria-label="Checking" />}
        {checked && checked !== 'checking' && <Report {...checked} />}
      </div>
    </PublicPage>
  )
}

const readFiles = async (files: File[], key: string): Promise<Checked['report']> => {
  const keys = key.trim() === '' ? [] : [key]
  try {
    const read = await Promise.all(
      files.map(async file => [file.name, new Uint8Array(await file.arrayBuffer())] as const),
    )
    const [[name, data] = ['', new Uint8Array()]] = read
    const isCapture = read.length === 1 && !name.startsWith('manifest.json')
    return await (isCapture ? verifyWacz(data, keys) : verifyReport(new Map(read), keys))
  } catch {
    const says = 'The browser could not read the files.'
    return { verdict: 'unreadable', checks: [{ name: 'file', ok: false, says }], isKeyGiven: keys.length > 0 }
  }
}

/** Returns the facts that the files state. */
const factsOf = (about: NonNullable<Checked['report']['about']>) => ({
  ...('url' in about
    ? {
        URL: about.url,
        Captured: (
          <>
            <DateTime value={about.capturedAt} format={formatDateTime} />, by the collector’s clock
          </>
        ),
      }
    : { Report: about.report, Version: about.n }),
  Received: <DateTime value={about.receivedAt} format={formatDateTime} />,
  'Position in the log': about.seq,
  'Key id': about.keyId,
})

function Report({ name, report: { verdict, checks, about, isKeyGiven } }: Checked) {
  const { intent, title, text } = VERDICTS[verdict]
  const list = (
    <ul className={styles.checks} aria-label="Checks">
      {checks.map(({ name: part, ok, says }) => (
        <li key={part} className={ok ? styles.ok : styles.failed}>
          {ok ? (
            <TickIcon className={styles.icon ?? ''} aria-label="Holds" />
          ) : (
            <CrossIcon className={styles.icon ?? ''} aria-label="Fails" />
          )}
          <span>{says}</span>
        </li>
      ))}
    </ul>
  )
  const isSealed = verdict === 'good' || verdict === 'erased'
  return (
    <Card className={styles.report ?? ''}>
      <h2 className={styles.name} dir="auto">
        {name}
      </h2>
      {isSealed && (
        <Callout intent="warning" title="What the seal cannot prove">
          <p>
            {about && 'report' in about
              ? 'The seal does not prove that the report is right. It proves that these files are those that were published.'
              : 'The seal does not prove that the site showed this to others, or who the author is. The collector copies the page that the browser shows, and its user may have changed that page before.'}
          </p>
          {!isKeyGiven && (
            <p>
              The seal does not prove which server created it: the key comes from these files. To check the
              server, enter its public key above.
            </p>
          )}
        </Callout>
      )}
      <Callout intent={intent} title={title}>
        {text}
      </Callout>
      {isSealed ? (
        <details className={styles.checked}>
          <summary>What was checked</summary>
          {list}
        </details>
      ) : (
        list
      )}
      {about && <Facts className={styles.about} facts={factsOf(about)} />}
    </Card>
  )
}
