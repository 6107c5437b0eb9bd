import { type CoordinationEvidence, nameInRecords } from '@iodine/contracts'
import { exactTime, formatSpan, paths, SectionLink } from '@iodine/mfe-kit'
import { formatCount, LoadingPanel, SourceLink } from '@iodine/ui'
import { useState } from 'react'
import type { FilePair } from '../model/analyze-file'
import { useEvidence, useLeftOut } from '../queries/runs'
import styles from './DetailCard.module.css'
import own from './Evidence.module.css'
import { KIND_LABELS } from './RunForm'

/** The pairs of posts behind an edge of a run. */
export function RunPairs({ run, a, b }: { run: string; a: string; b: string }) {
  const query = useEvidence(run, a, b)
  return (
    <LoadingPanel
      query={query}
      errorTitle="Unable to load the posts"
      isEmpty={({ pairs }) => pairs.length === 0}
      empty={<p className={styles.more}>The posts were deleted or are no longer shared.</p>}
    >
      {({ total, pairs }) => (
        <>
          <h3 className={styles.subtitle}>{headingOf(pairs.length, total)}</h3>
          <ul className={styles.texts} aria-label="Pairs">
            {pairs.map((pair, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: pairs of one answer keep their order
              <li key={n} className={own.pair}>
                <p className={styles.more}>
                  {KIND_LABELS[pair.kind]}
                  {pair.object && <span className={own.object}> {nameOf(pair.kind, pair.object)}</span>} ·{' '}
                  {formatSpan(pair.delta_s)} apart
                </p>
                <Post post={pair.older} />
                <Post post={pair.newer} />
              </li>
            ))}
          </ul>
        </>
      )}
    </LoadingPanel>
  )
}

const nameOf = (kind: string, object: string) => (kind === 'hashtag' ? `#${object}` : object)
const headingOf = (shown: number, total: number) =>
  shown < total ? `Pairs (${formatCount(shown)} of ${formatCount(total)})` : `Pairs (${formatCount(total)})`

function Post({ post }: { post: CoordinationEvidence['pairs'][number]['older'] }) {
  return (
    <div className={own.post}>
      <div>
        <strong>{post.account}</strong> <time dateTime={post.posted_at}>{exactTime(post.posted_at)}</time>
      </div>
      {post.excerpt && <q className={styles.sentence}>{post.excerpt}</q>}
      <span className={own.leads}>
        {post.id && (
          <SectionLink
            to={paths.data({ source: post.source, q: nameInRecords(post) })}
            title="Records of this account"
          >
            My data
          </SectionLink>
        )}
        {post.url && <SourceLink source={post.url} />}
      </span>
    </div>
  )
}

const MISSING = { time: 'The page states no time', account: 'The page names no account' }

/** The user's posts that a run left out, loaded on demand. */
export function LeftOut({ run }: { run: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={own.leftOut} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Posts left out</summary>
      {isOpen && <LeftOutPosts run={run} />}
    </details>
  )
}

function LeftOutPosts({ run }: { run: string }) {
  const query = useLeftOut(run)
  return (
    <LoadingPanel
      query={query}
      errorTitle="Unable to load the posts"
      isEmpty={({ posts }) => posts.length === 0}
      empty={
        <p className={styles.more}>
          The posts were deleted or belong to other members, or the run is too old to list them.
        </p>
      }
    >
      {({ posts }) => (
        <ul className={styles.texts} aria-label="Posts left out">
          {posts.map(({ id, source, account, url, collected_at, excerpt, why }) => (
            <li key={id} className={own.post}>
              <div>
                <strong>{account ?? 'Unknown account'}</strong> {MISSING[why]}. Collected{' '}
                <time dateTime={collected_at}>{exactTime(collected_at)}</time>
              </div>
              {excerpt && <q className={styles.sentence}>{excerpt}</q>}
              <span className={own.leads}>
                <SectionLink
                  to={paths.data({ source, ...(account && { q: nameInRecords({ source, account }) }) })}
                >
                  My data
                </SectionLink>
                {url && <SourceLink source={url} />}
              </span>
            </li>
          ))}
        </ul>
      )}
    </LoadingPanel>
  )
}

/** The pairs of an edge of a file. */
export function FilePairs({ pairs }: { pairs: readonly FilePair[] }) {
  const time = (seconds: number) => {
    const date = new Date(seconds * 1_000)
    return Number.isNaN(date.getTime()) ? `${seconds} s` : exactTime(date.toISOString())
  }
  return (
    <>
      <h3 className={styles.subtitle}>Pairs ({formatCount(pairs.length)} shown)</h3>
      <ul className={styles.texts} aria-label="Pairs">
        {pairs.map(({ object, a, b, contentA, contentB, atA, deltaS }) => (
          <li key={`${object} ${contentA} ${contentB}`} className={own.pair}>
            <p className={styles.more}>
              <span className={own.object}>{object}</span> · {formatSpan(deltaS)} apart
            </p>
            <div className={own.post}>
              <strong>{a}</strong> {contentA} <time>{time(atA)}</time>
            </div>
            <div className={own.post}>
              <strong>{b}</strong> {contentB} <time>{time(atA + deltaS)}</time>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
