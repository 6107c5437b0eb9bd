import type { CommunityProfile, Contribution, ContributionType } from '@iodine/contracts'
import { cameFromList, hasStatus, isUnauthorized, paths, useHost, useSections } from '@iodine/mfe-kit'
import { WatchButton } from '@iodine/mfe-kit/watches'
import {
  BackButton,
  Button,
  Card,
  DateTime,
  EmptyState,
  Facts,
  formatFrenchCount,
  formatFrenchDate,
  formatFrenchDateTime,
  HTMLSelect,
  LoadingPanel,
  LoadMore,
  Page,
  PageHeader,
  SkeletonCards,
} from '@iodine/ui'
import {
  NavigationType,
  useLocation,
  useNavigate,
  useNavigationType,
  useParams,
  useSearchParams,
} from '@iodine/ui/router'
import { useEffect, useRef } from 'react'
import { useProfile } from '../queries/profile'
import { ContributionTitle } from './ContributionTitle'
import styles from './ProfilePage.module.css'
import { TypeTag } from './TypeTag'

const NOT_FOUND = 404
const ERROR_MS = 5_000
const SKELETONS = 3

const FILTERS: { value: ContributionType | ''; label: string }[] = [
  { value: '', label: 'Toutes les contributions' },
  { value: 'IOD', label: 'IODs uniquement' },
  { value: 'NARRATIVE', label: 'Narratives uniquement' },
]

/** The page of a user's public profile, in French. */
export function ProfilePage() {
  const { userId = '' } = useParams()
  const { notify } = useHost()
  const navigate = useNavigate()
  const { open } = useSections()
  const [type, setType] = useFilter()
  const query = useProfile(userId, type)
  const { data, contributions, error, isPlaceholderData } = query
  const { state } = useLocation()
  const fromList = cameFromList(state)
  const arrived = useRef(useNavigationType())

  // The list may be scrolled: a new profile page starts at its top.
  useEffect(() => {
    if (arrived.current !== NavigationType.Pop) window.scrollTo(0, 0)
  }, [])

  useEffect(() => {
    if (!error || isUnauthorized(error)) return
    const isMissing = hasStatus(error, NOT_FOUND)
    const [title, description] = isMissing
      ? ['Utilisateur introuvable', "Ce profil n'existe pas ou n'est pas public"]
      : ['Erreur', 'Impossible de charger le profil']
    notify({ title, description, status: 'error', duration: ERROR_MS, lang: 'fr' })
    if (isMissing) open(paths.community(), { replace: true })
  }, [error, notify, open])

  return (
    <Page>
      <div lang="fr">
        <BackButton text="Retour" onClick={() => (fromList ? navigate(-1) : open(paths.community()))} />
        {hasStatus(error, NOT_FOUND) && !data ? (
          <EmptyState title="Profil utilisateur introuvable" />
        ) : (
          <LoadingPanel
            query={query}
            errorTitle="Impossible de charger le profil"
            skeleton={<SkeletonCards count={SKELETONS} lines={2} className={styles.list} />}
          >
            {profile => (
              <>
                <Header id={userId} profile={profile} type={type} onType={setType} />
                <Facts
                  className={styles.totals}
                  facts={{
                    contributions: formatFrenchCount(profile.total_iods + profile.total_narratives),
                    'IODs créés': formatFrenchCount(profile.total_iods),
                    'analyses de narratives': formatFrenchCount(profile.total_narratives),
                  }}
                />
                {contributions.length === 0 ? (
                  <EmptyState
                    title="Aucune contribution pour le moment."
                    {...(type && { action: <Button text="Tout afficher" onClick={() => setType('')} /> })}
                  />
                ) : (
                  <ul className={styles.list} aria-label="Contributions" aria-busy={isPlaceholderData}>
                    {contributions.map(contribution => (
                      <ContributionRow
                        key={`${contribution.type} ${contribution.id}`}
                        contribution={contribution}
                      />
                    ))}
                  </ul>
                )}
                <LoadMore query={query.more} text="Charger plus de contributions" />
              </>
            )}
          </LoadingPanel>
        )}
      </div>
    </Page>
  )
}

interface HeaderProps {
  id: string
  profile: CommunityProfile
  type: ContributionType | null
  onType: (type: ContributionType | '') => void
}

function Header({ id, profile, type, onType }: HeaderProps) {
  const { session } = useHost()
  return (
    <PageHeader
      title={`@${profile.username}`}
      subtitle={
        <>
          Membre depuis <DateTime value={profile.created_at} format={formatFrenchDate} lang="fr" />
        </>
      }
      actions={
        <>
          {id !== session.user.id && <WatchButton subject={{ kind: 'person', subject_id: id }} lang="fr" />}
          <HTMLSelect
            aria-label="Filtrer les contributions"
            options={FILTERS}
            value={type ?? ''}
            onChange={event => onType(event.target.value as ContributionType | '')}
          />
        </>
      }
    />
  )
}

function ContributionRow({ contribution }: { contribution: Contribution }) {
  const { type, id, title, description, created_at } = contribution
  return (
    <li>
      <Card className={styles.contribution}>
        <div className={styles.head}>
          <TypeTag type={type} />
          <h2 className={styles.title}>
            <ContributionTitle type={type} id={id} title={title} />
          </h2>
          <span className={styles.time}>
            <DateTime value={created_at} format={formatFrenchDateTime} lang="fr" />
          </span>
        </div>
        {description && (
          <p className={styles.description} dir="auto" lang="">
            {description}
          </p>
        )}
      </Card>
    </li>
  )
}

/** Returns the selected type of contribution, stored in the URL, and its setter. */
function useFilter(): [ContributionType | null, (type: ContributionType | '') => void] {
  const [search, setSearch] = useSearchParams()
  const given = search.get('type')
  const type = given === 'IOD' || given === 'NARRATIVE' ? given : null
  const { state } = useLocation()
  return [type, next => setSearch(next ? { type: next } : {}, { replace: true, state })]
}
