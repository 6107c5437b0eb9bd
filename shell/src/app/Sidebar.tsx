import { paths } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { InputGroup, isApple } from '@iodine/ui'
import {
  ApplicationIcon,
  ChatIcon,
  CogIcon,
  DashboardIcon,
  DatabaseIcon,
  FlagIcon,
  GraphIcon,
  HelpIcon,
  LockIcon,
  LogOutIcon,
  OfficeIcon,
  PeopleIcon,
  SearchIcon,
  TagIcon,
  TimelineBarChartIcon,
  TimelineEventsIcon,
  UserIcon,
} from '@iodine/ui/icons'
import { Link, NavLink } from '@iodine/ui/router'
import type { ReactElement, ReactNode } from 'react'
import { preloadSection } from '../remotes/remotes'
import { useSearch } from '../search/SearchProvider'
import { useLogout } from '../session/use-logout'
import { OWN_PAGES } from './own-pages'
import styles from './Sidebar.module.css'
import { ADMIN, allSections, PROFILE, type Section } from './sections'

const ICONS: Record<string, ReactElement> = {
  overview: <DashboardIcon />,
  data: <DatabaseIcon />,
  iods: <TagIcon />,
  narratives: <ChatIcon />,
  campaigns: <FlagIcon />,
  graph: <GraphIcon />,
  community: <PeopleIcon />,
  analytics: <TimelineBarChartIcon />,
  origins: <TimelineEventsIcon />,
  admin: <CogIcon />,
  profile: <UserIcon />,
}

const ORGANIZATION_COMING = 'Coming Soon - Organization features will be available in a future update.'

export interface SidebarProps {
  /** Shown beside the search box. */
  bell?: ReactNode
  /** Closes the drawer around the menu before an item's action runs. */
  onNavigate?: () => void
}

/** The menu of all sections. Typing in its search box opens the global search. */
export function Sidebar({ bell, onNavigate }: SidebarProps) {
  const { config, notify, session } = useHost()
  const { user } = session
  const search = useSearch()
  const name = user.username ? `@${user.username}` : user.email
  const openSearch = (term = '') => {
    onNavigate?.()
    search.open(term)
  }
  const logout = useLogout()
  const link = (section: Section) => <SectionLink key={section.id} section={section} onClick={onNavigate} />
  /** Closes the drawer before an action runs. */
  const leaving = (act: () => void) => () => {
    onNavigate?.()
    act()
  }

  return (
    <nav className={styles.sidebar} aria-label="Main">
      <p className={styles.brand}>
        <img src="/icon.svg" alt="" width={24} height={24} />
        {config.product_name}
      </p>
      <div className={styles.top}>
        <InputGroup
          className={styles.search}
          type="search"
          leftIcon={<SearchIcon />}
          placeholder="Search"
          aria-label="Search everything"
          rightElement={<kbd className={styles.key}>{isApple() ? '⌘' : 'Ctrl'} K</kbd>}
          value=""
          onFocus={search.preload}
          onClick={() => openSearch()}
          onKeyDown={event => event.key === 'Enter' && openSearch()}
          onValueChange={openSearch}
        />
        {bell}
      </div>
      <ul className={styles.list}>
        {allSections(config).map(link)}
        <Action
          label="Organization"
          icon={<OfficeIcon />}
          locked
          onClick={leaving(() => notify({ title: ORGANIZATION_COMING, status: 'info' }))}
        />
        {user.is_admin && link(ADMIN)}
      </ul>
      <div className={styles.bottom}>
        <ul className={styles.list}>
          {link(PROFILE)}
          <Action label="Help Center" icon={<HelpIcon />} />
          <Action label="Logout" icon={<LogOutIcon />} onClick={leaving(logout)} />
        </ul>
        <p className={styles.user}>
          <span className={styles.avatar} aria-hidden>
            {(user.username ?? user.email).charAt(0).toUpperCase()}
          </span>
          <span className={styles.name} title={name}>
            {name}
          </span>
        </p>
        <div className={styles.footer}>
          <Link to="/privacy-policy">Privacy Policy</Link>
          <Link to="/terms-of-service">Terms of Service</Link>
          <a href={`mailto:${config.contact_email}`}>Contact</a>
        </div>
      </div>
    </nav>
  )
}

interface ActionProps {
  label: string
  icon: ReactElement
  locked?: boolean
  onClick?: () => void
}

const Action = ({ label, icon, locked = false, onClick }: ActionProps) => (
  <li>
    <button
      type="button"
      className={locked ? `${styles.item} ${styles.locked}` : styles.item}
      onClick={onClick}
    >
      {icon}
      {label}
      {locked && <LockIcon className={styles.lock} title="Locked" />}
    </button>
  </li>
)

function SectionLink({ section, onClick }: { section: Section; onClick?: () => void }) {
  const preload = () => {
    if (section.remote) preloadSection(section.remote)
    OWN_PAGES[section.id]?.prefetch()
  }
  return (
    <li>
      <NavLink
        to={paths.section(section.id)}
        className={({ isActive }) => (isActive ? `${styles.item} ${styles.active}` : styles.item)}
        onClick={onClick}
        onPointerEnter={preload}
        onFocus={preload}
      >
        {ICONS[section.id] ?? <ApplicationIcon />}
        {section.label}
      </NavLink>
    </li>
  )
}
