import { countVotes, type Iod } from '@iodine/contracts'
import { Discussion } from '@iodine/mfe-kit/comments'
import { useConsensus } from '@iodine/mfe-kit/consensus'
import { useEvidenceCount, useIodEvidence } from '@iodine/mfe-kit/evidence'
import {
  Button,
  CategoryTag,
  DateTime,
  Facts,
  formatDateTime,
  HTMLTable,
  SourceLink,
  Tag,
  useRetained,
} from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import { CAMPAIGNS } from '../queries/campaigns'
import styles from './IodDetailsDialog.module.css'

/** All fields, votes and comments of an IOD. */
export function IodDetailsDialog({ iod, onClose }: { iod: Iod | null; onClose: () => void }) {
  const shown = useRetained(iod)
  return (
    <Dialog className={styles.dialog} isOpen={iod !== null} onClose={onClose} title="IOD Details">
      <DialogBody>{shown && <Details iod={shown} />}</DialogBody>
      <DialogFooter actions={<Button text="Close" onClick={onClose} />} />
    </Dialog>
  )
}

function Details({ iod }: { iod: Iod }) {
  const evidence = useIodEvidence(iod, useEvidenceCount(iod.id, true))
  return (
    <>
      <Facts
        className={styles.fields}
        facts={{
          Value: (
            <span className={styles.text} dir="auto">
              {iod.value}
            </span>
          ),
          Category: <CategoryTag category={iod.category} />,
          'Source Type': <Tag minimal>{iod.source_type}</Tag>,
          Source: iod.source && <SourceLink source={iod.source} />,
          'Source ID': iod.source_id,
          Description: (
            <span className={styles.text} dir="auto">
              {iod.description || '—'}
            </span>
          ),
        }}
      />
      {evidence.button && <p className={styles.block}>{evidence.button}</p>}
      {evidence.drawer}
      <Votes iod={iod} />
      <div className={styles.block}>
        <Discussion
          subject={{ kind: 'iods', id: iod.id }}
          shownIn={[CAMPAIGNS]}
          listClassName={styles.scroll}
        />
      </div>
      <section className={styles.block}>
        <h3>Metadata</h3>
        <Facts
          className={styles.fields}
          facts={{
            'Created by ID': iod.created_by_id ?? 'Unknown',
            'Created on': <DateTime value={iod.created_at} format={formatDateTime} />,
          }}
        />
      </section>
    </>
  )
}

function Votes({ iod }: { iod: Iod }) {
  const { positive, negative } = countVotes(iod)
  const consensus = useConsensus(iod.id, iod.votes.length > 0)
  return (
    <section className={styles.block}>
      <h3>Votes ({iod.votes.length})</h3>
      <p className={styles.tally}>
        <span className={styles.positive}>Positive: {positive}</span>
        <span className={styles.negative}>Negative: {negative}</span>
      </p>
      {consensus && <p className={styles.none}>{consensus.reason}</p>}
      {iod.votes.length > 0 && (
        <div className={styles.scroll}>
          <HTMLTable compact className={styles.votes}>
            <thead>
              <tr>
                <th scope="col">User</th>
                <th scope="col">Vote</th>
                <th scope="col">Date</th>
              </tr>
            </thead>
            <tbody>
              {iod.votes.map(vote => (
                <tr key={vote.id}>
                  <td>{vote.username ?? 'Unknown'}</td>
                  <td className={vote.vote_type === 'POSITIVE' ? styles.positive : styles.negative}>
                    {vote.vote_type === 'POSITIVE' ? 'Positive' : 'Negative'}
                  </td>
                  <td>
                    <DateTime value={vote.created_at} format={formatDateTime} />
                  </td>
                </tr>
              ))}
            </tbody>
          </HTMLTable>
        </div>
      )}
    </section>
  )
}
