import { Button, Callout, Intent, Tag } from '@iodine/ui'
import { useEffect, useState } from 'react'
import { sendRequest } from '../shared/messages'
import styles from './Popup.module.css'
import type { StatusProps } from './use-status'

const SOURCE_NAMES = { tiktok: 'Short video', telegram: 'Channel post', blog: 'Article' }
const RESULTS = { created: 'accepted', updated: 'updated', unchanged: 'unchanged' }

/** The queue: the number of queued records, the results of sent ones, and refused ones with the reason. */
export function QueueState({ status, attempt }: StatusProps) {
  const { waiting, refused, totals, recent, trouble, captures } = status
  const waitingForOthers = status.waitingForOthers + captures.waitingForOthers
  return (
    <section className={styles.section} aria-label="Collected">
      <div className={styles.tags}>
        <Tag minimal>{waiting} waiting</Tag>
        <Tag minimal intent={Intent.SUCCESS}>
          {totals.created} accepted
        </Tag>
        <Tag minimal intent={Intent.PRIMARY}>
          {totals.updated} updated
        </Tag>
        <Tag minimal>{totals.unchanged} unchanged</Tag>
        <Tag minimal intent={refused.length > 0 ? Intent.DANGER : Intent.NONE}>
          {refused.length} refused
        </Tag>
      </div>
      {trouble && waiting > 0 && (
        <Callout intent={Intent.WARNING} compact>
          {trouble.reason}. Nothing is lost: <NextTry at={trouble.until} />
          <Button size="small" text="Send now" onClick={() => attempt(() => sendRequest('sendNow', {}))} />
        </Callout>
      )}
      {refused.length > 0 && (
        <Callout intent={Intent.DANGER} title="Refused" compact>
          <ul className={styles.list}>
            {refused.slice(0, 5).map(({ seq, source, key, reason }) => (
              <li key={seq} className={styles.refused}>
                {SOURCE_NAMES[source]} {key}: {reason}
              </li>
            ))}
          </ul>
          <Button
            size="small"
            text="Try again"
            onClick={() => attempt(() => sendRequest('retryRefused', {}))}
          />{' '}
          <Button
            size="small"
            text="Discard"
            onClick={() => attempt(() => sendRequest('discardRefused', {}))}
          />
        </Callout>
      )}
      <Captures captures={captures} attempt={attempt} />
      {waitingForOthers > 0 && (
        <p className={styles.muted}>
          {waitingForOthers} collected by another account will be sent when that account signs in here.{' '}
          <Button
            size="small"
            variant="minimal"
            text="Discard"
            onClick={() => attempt(() => sendRequest('discardOthers', {}))}
          />
        </p>
      )}
      {recent.length > 0 && (
        <ul className={styles.list} aria-label="Last sent">
          {recent.map(({ source, key, result, at }) => (
            <li key={`${at} ${key}`} className={styles.item}>
              {SOURCE_NAMES[source]} {key}: {RESULTS[result]}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const many = (count: number, name: string) => `${count} ${name}${count === 1 ? '' : 's'}`

/** Captures and quotes that wait to be sealed, and failed ones with the reason. */
function Captures({
  captures: { waiting, quotes, full, refused, leftOut, trouble },
  attempt,
}: Pick<StatusProps, 'attempt'> & { captures: StatusProps['status']['captures'] }) {
  const waits = [
    ...(waiting > 0 ? [many(waiting, 'capture')] : []),
    ...(quotes > 0 ? [many(quotes, 'quote')] : []),
  ].join(' and ')
  return (
    <>
      {waits && <p className={styles.muted}>{waits} waiting to be sealed</p>}
      {waits && trouble && (
        <Callout intent={Intent.WARNING} compact>
          {trouble.reason}. Nothing is lost: <NextTry at={trouble.until} />
          <Button size="small" text="Send now" onClick={() => attempt(() => sendRequest('sendNow', {}))} />
        </Callout>
      )}
      {leftOut && <p className={styles.muted}>{leftOut}</p>}
      {(full.count > 0 || refused.length > 0) && (
        <Callout intent={Intent.DANGER} title="Not sealed" compact>
          <ul className={styles.list}>
            {full.count > 0 && (
              <li className={styles.refused}>
                {many(full.count, 'capture')}: {full.reason}
              </li>
            )}
            {refused.slice(0, 5).map(({ key, of, reason }) => (
              <li key={key} className={styles.refused}>
                {of}: {reason}
              </li>
            ))}
          </ul>
          {full.count > 0 && (
            <>
              <Button
                size="small"
                text="Try again"
                onClick={() => attempt(() => sendRequest('retryCaptures', {}))}
              />{' '}
            </>
          )}
          <Button
            size="small"
            text="Discard"
            onClick={() => attempt(() => sendRequest('discardCaptures', {}))}
          />
        </Callout>
      )}
    </>
  )
}

function NextTry({ at }: { at: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.ceil((at - now) / 1_000)
  return <span>{seconds > 0 ? `retry in ${seconds} s. ` : 'retrying … '}</span>
}
