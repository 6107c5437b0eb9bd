import { type AppPath, paths } from '@iodine/contracts'
import { SectionLink, useHost } from '@iodine/mfe-kit'
import { AnchorButton, Button, Card, Disclosure, formatAmount, Page, PageHeader } from '@iodine/ui'
import { EnvelopeIcon, TagIcon, TickCircleIcon, TimeIcon } from '@iodine/ui/icons'
import { type ReactElement, useEffect } from 'react'
import { version } from '../../package.json'
import { useLoaded } from '../app/use-loaded'
import { preloadShared } from '../remotes/remotes'
import { ActivityCard } from './ActivityCard'
import { ExtensionCard } from './ExtensionCard'
import { FirstSteps, useFirstSteps } from './FirstSteps'
import styles from './Overview.module.css'

const AVAILABLE = [
  'IOD creation and management',
  'Campaign management tools',
  'Data import from the browser extension',
  'Voting and community features',
  'Source tracking and attribution',
  'Advanced analytics dashboard',
]
const COMING = ['Organization collaboration', 'AI-powered insights', 'Advanced graph visualizations']

/** Pages of roadmap items. */
const PAGES: Readonly<Record<string, AppPath>> = { 'Advanced analytics dashboard': paths.analytics() }

const ROADMAP_TITLE = 'Product roadmap'

/**
 * Time until other sections are preloaded, in milliseconds: this page has loaded by then, even over slow connections.
 */
const PRELOAD_AFTER_MS = 2_000

/** The dashboard's first page. */
export function Overview() {
  const { api, config, navigate, session } = useHost()
  const { username } = session.user
  const firstSteps = useFirstSteps()
  const { data: iods, error } = useLoaded(
    async signal => (await api.page('GET /iods', { query: { limit: 1 }, signal })).total,
  )
  useEffect(() => {
    const timer = setTimeout(preloadShared, PRELOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Page>
      <PageHeader
        title={username ? `Welcome, @${username}` : `Welcome to ${config.product_name}`}
        subtitle="Collect and curate indicators of disinformation (IODs), together."
      />
      {Boolean(error) && (
        <p className={styles.failure} role="alert">
          Error loading data
        </p>
      )}
      <section className={styles.banner} aria-label="Beta version">
        <div className={styles.bannerText}>
          <h2 className={styles.cardTitle}>{config.product_name} is in beta</h2>
          <p className={styles.muted}>Version {version}</p>
          <p>
            Features may still change. Your feedback improves them.
            {Boolean(iods) && ` The community has created ${formatAmount(iods ?? 0, 'IOD')} so far.`}
          </p>
        </div>
        <Button
          intent="primary"
          size="large"
          icon={<TagIcon />}
          text="Start Creating IODs"
          onClick={() => navigate(paths.iods())}
        />
      </section>
      {firstSteps.isShown && <FirstSteps onClose={firstSteps.close} />}
      <div className={styles.grid}>
        <ActivityCard />
        <ExtensionCard />
        <Card className={styles.card}>
          <h2 className={styles.cardTitle}>Get in Touch</h2>
          <p className={styles.muted}>Questions, ideas, or something that doesn't work? Write to us.</p>
          <div className={styles.row}>
            <AnchorButton
              href={`mailto:${config.contact_email}`}
              icon={<EnvelopeIcon />}
              text={config.contact_email}
            />
          </div>
          <ul className={styles.social}>
            {config.social_links.map(({ label, url }) => (
              <li key={url}>
                <a href={url} target="_blank" rel="noreferrer">
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </Card>
        <Card className={`${styles.card} ${styles.wide}`}>
          <h2 className={firstSteps.isShown ? styles.cardTitle : 'visually-hidden'}>{ROADMAP_TITLE}</h2>
          {firstSteps.isShown ? (
            <Roadmap />
          ) : (
            <Disclosure label={ROADMAP_TITLE}>
              <Roadmap />
            </Disclosure>
          )}
        </Card>
      </div>
    </Page>
  )
}

function Roadmap() {
  return (
    <div className={styles.roadmap}>
      <RoadmapList
        title="Available now"
        items={AVAILABLE}
        icon={<TickCircleIcon className={styles.done} />}
      />
      <RoadmapList title="Coming soon" items={COMING} icon={<TimeIcon className={styles.later} />} />
    </div>
  )
}

function RoadmapList({ title, items, icon }: { title: string; items: string[]; icon: ReactElement }) {
  return (
    <div>
      <h3 className={styles.listTitle}>{title}</h3>
      <ul className={styles.list}>
        {items.map(item => (
          <li key={item}>
            {icon}
            {PAGES[item] ? <SectionLink to={PAGES[item]}>{item}</SectionLink> : item}
          </li>
        ))}
      </ul>
    </div>
  )
}
