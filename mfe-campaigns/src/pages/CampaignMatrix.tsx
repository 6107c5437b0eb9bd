import type { Campaign } from '@iodine/contracts'
import { paths, SectionLink } from '@iodine/mfe-kit'
import { LoadingPanel } from '@iodine/ui'
import { useMemo } from 'react'
import { nameOf } from '../model/campaigns'
import { usesOf } from '../model/matrix'
import type { CampaignTechniques } from '../queries/techniques'
import { MatrixView } from './MatrixView'
import styles from './MatrixView.module.css'

export interface CampaignMatrixProps {
  campaign: Pick<Campaign, 'id' | 'name'>
  techniques: CampaignTechniques
}

/** The DISARM matrix of a campaign. */
export function CampaignMatrix({ campaign, techniques }: CampaignMatrixProps) {
  const { data: used } = techniques.query
  const uses = useMemo(() => usesOf(used), [used])
  return (
    <LoadingPanel query={techniques.query} errorTitle="Failed to load techniques">
      {() => (
        <>
          <MatrixView
            title={nameOf(campaign)}
            campaignId={campaign.id}
            uses={uses}
            measures={['quotes', 'iods']}
            techniques={techniques}
          />
          <p className={styles.legend}>
            <SectionLink to={paths.matrix({ campaign: campaign.id })}>
              Open as a page, or compare with another campaign
            </SectionLink>
          </p>
        </>
      )}
    </LoadingPanel>
  )
}
