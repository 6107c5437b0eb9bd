import type { Contribution, ContributionType } from '@iodine/contracts'
import { hasStatus, useHost } from '@iodine/mfe-kit'
import {
  Button,
  Card,
  EmptyState,
  ErrorCallout,
  formatFrenchDate,
  formatFrenchDateTime,
  HTMLSelect,
  Loading,
  Page,
  PageHeader,
} from '@iodine/ui'
import { ArrowLeftIcon } from '@iodine/ui/icons'
import {
  NavigationType,
  useLocation,
  useNavigate,
  useNavigationType,
  useParams,
  useSearchParams,
} from '@iodine/ui/router'
import { useEffect, useRef } from 'react'
import { cameFromList } from '../model/way-back'
import { useProfile } from '../queries/profile'
import styles from './ProfilePage.module.css'
import { TypeTag } from './TypeTag'

const NOT_FOUND = 404
const UNAUTHORIZED = 401
const ERROR_MS = 5_000

const FILTERS: { value: ContributionType | ''; label: string }[] = [
  { value: '', label: 'Toutes les contributions' },
  { value: 'IOD', label: 'IODs uniquement' },
  { value: 'NARRATIVE', label: 'Narratives uniquement' },
]

/** Somebody's public profile, in French. */
export function ProfilePage() {
  const { userId = '' } = useParams()
  const { notify } = useHost()
  const navigate = useNavigate()
  const [type, setType] = useFilter()
  const query = useProfile(userId, type)
  const { profile, contributions, error, refetch, isFetching, isPlaceholderData, hasNextPage } = query
  const notFound = hasStatus(error, NOT_FOUND)
  const { state } = useLocation()
  const fromList = cameFromList(state)
  const arrived = useRef(useNavigationType())

  // Opened from the middle of the list, a profile still starts at its top.
  useEffect(() => {
    if (arrived.current !== NavigationType.Pop) window.scrollTo(0, 0)
  }, [])

  useEffect(() => {
    if (!error || hasStatus(error, UNAUTHORIZED)) return
    if (hasStatus(error, NOT_FOUND)) {
      const description = "Ce profil n'existe pas ou n'est pas public"
      notify({ title: 'Utilisateur introuvable', description, status: 'error', duration: ERROR_MS })
      navigate('/', { replace: true })
    } else {
      const description = 'Impossible de charger le profil'
      notify({ title: 'Erreur', description, status: 'error', duration: ERROR_MS })
    }
  }, [error, notify, navigate])

  return (
    <Page narrow>
      <div lang="fr">
        <Button
          className={styles.back}
          variant="minimal"
          icon={<ArrowLeftIcon />}
          text="Retour"
          onClick={() => (fromList ? navigate(-1) : navigate('/'))}
        />
        {profile ? (
          <>
            <PageHeader
              title={`@${profile.username}`}
              subtitle={`Membre depuis ${formatFrenchDate(profile.created_at)}`}
              actions={
                <HTMLSelect
                  aria-label="Filtrer les contributions"
                  options={FILTERS}
                  value={type ?? ''}
                  onChange={event => setType(event.target.value as ContributionType | '')}
                />
              }
            />
            <dl className={styles.totals}>
              <Total label="contributions" value={profile.total_iods + profile.total_narratives} />
              <Total label="IODs créés" value={profile.total_iods} />
              <Total label="analyses de narratives" value={profile.total_narratives} />
            </dl>
            {contributions.length === 0 ? (
              <EmptyState title="Aucune contribution pour le moment." />
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
            {hasNextPage && (
              <div className={styles.more}>
                <Button
                  text="Charger plus de contributions"
                  loading={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                />
              </div>
            )}
          </>
        ) : notFound ? (
          <EmptyState title="Profil utilisateur introuvable" />
        ) : error ? (
          <ErrorCallout
            title="Impossible de charger le profil"
            onRetry={() => void refetch()}
            retrying={isFetching}
          />
        ) : (
          <Loading />
        )}
      </div>
    </Page>
  )
}

function ContributionRow({ contribution }: { contribution: Contribution }) {
  const { type, title, description, created_at } = contribution
  return (
    <li>
      <Card className={styles.contribution}>
        <div className={styles.head}>
          <TypeTag type={type} />
          <h2 className={styles.title} dir="auto">
            {title}
          </h2>
          <time className={styles.time} dateTime={created_at}>
            {formatFrenchDateTime(created_at)}
          </time>
        </div>
        {description && (
          <p className={styles.description} dir="auto">
            {description}
          </p>
        )}
      </Card>
    </li>
  )
}

function Total({ label, value }: { label: string; value: number }) {
  return (
    <div className={styles.total}>
      <dt>{label}</dt>
      <dd>{value.toLocaleString('fr-FR')}</dd>
    </div>
  )
}

/** The chosen type of contribution, kept in the address. */
function useFilter(): [ContributionType | null, (type: ContributionType | '') => void] {
  const [search, setSearch] = useSearchParams()
  const given = search.get('type')
  const type = given === 'IOD' || given === 'NARRATIVE' ? given : null
  const { state } = useLocation()
  return [type, next => setSearch(next ? { type: next } : {}, { replace: true, state })]
}
