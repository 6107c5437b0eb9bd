import type { CampaignDetail } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { Discussion, useComments, useLinkedComment } from '@iodine/mfe-kit/comments'
import { WatchButton } from '@iodine/mfe-kit/watches'
import {
  Button,
  Card,
  Classes,
  DateTime,
  formatCount,
  LoadingPanel,
  Tab,
  Tabs,
  useDialog,
  useTitle,
} from '@iodine/ui'
import { CrossIcon, ImportIcon, PlusIcon } from '@iodine/ui/icons'
import { Dialog } from '@iodine/ui/overlays'
import { TableSkeleton } from '@iodine/ui/table'
import { useId, useState } from 'react'
import { creatorOf, nameOf } from '../model/campaigns'
import type { Statistics } from '../model/iods'
import { type CampaignQuery, useCampaign, useStatistics } from '../queries/campaigns'
import { type CampaignTechniques, useTechniques } from '../queries/techniques'
import { TOAST_MS } from '../queries/toasts'
import { AddIodsDialog } from './AddIodsDialog'
import { CampaignContents, type ContentId } from './CampaignContents'
import styles from './CampaignDetails.module.css'
import { type CampaignActions, CampaignMenu } from './CampaignMenu'
import { CampaignSummary } from './CampaignSummary'
import { ExportButtons } from './ExportButtons'
import { ImportDialog } from './ImportDialog'
import { HEIGHTS, memberColumns } from './IodTable'
import { SharingBlock } from './SharingBlock'
import { SummaryBlock } from './SummaryBlock'
import { Techniques } from './Techniques'

/** Length from which a title may not fit into a narrow window. */
const LONG_TITLE = 60

export interface CampaignDetailsProps extends CampaignActions {
  id: string
  onClose: () => void
}

/** A campaign with its IODs, as a full-screen dialog. */
export function CampaignDetails({ id, onClose, ...actions }: CampaignDetailsProps) {
  const query = useCampaign(id)
  const { data: campaign } = query
  const isComplete = query.iods === 'complete'
  const statistics = useStatistics(id, query)
  const techniques = useTechniques(id)
  const { notify } = useHost()
  const adding = useDialog()
  const importing = useDialog()
  const titleId = useId()
  useTitle(campaign && nameOf(campaign))
  const add = () =>
    campaign
      ? adding.open()
      : notify({
          title: 'No campaign selected',
          description: 'Please select a campaign first',
          status: 'warning',
          duration: TOAST_MS,
        })

  return (
    <>
      <Dialog className={styles.dialog} isOpen onClose={onClose} aria-labelledby={titleId}>
        <header className={styles.header}>
          <Heading id={titleId} campaign={campaign} />
          <div className={styles.actions}>
            {campaign && (
              <>
                <ExportButtons campaign={campaign} disabled={!isComplete} />
                <Button icon={<ImportIcon />} text="Import" disabled={!isComplete} onClick={importing.open} />
                <WatchButton subject={{ kind: 'campaign', subject_id: id }} />
              </>
            )}
            <Button intent="primary" icon={<PlusIcon />} text="Add IOD" onClick={add} />
          </div>
          <div className={styles.corner}>
            {campaign && <CampaignMenu campaign={campaign} {...actions} />}
            <Button variant="minimal" icon={<CrossIcon />} aria-label="Close" onClick={onClose} />
          </div>
        </header>
        <div className={styles.body}>
          <LoadingPanel
            query={query}
            errorTitle="Failed to load campaign details"
            skeleton={<DetailsSkeleton />}
          >
            {shown => (
              <Members
                campaign={shown}
                query={query}
                statistics={statistics}
                techniques={techniques}
                onAdd={add}
              />
            )}
          </LoadingPanel>
        </div>
      </Dialog>
      {campaign && (
        <>
          <AddIodsDialog
            key={`add ${adding.key}`}
            campaign={campaign}
            isOpen={adding.isOpen}
            onClose={adding.close}
          />
          <ImportDialog
            key={`import ${importing.key}`}
            campaign={campaign}
            isOpen={importing.isOpen}
            onClose={importing.close}
          />
        </>
      )}
    </>
  )
}

function Heading({ id, campaign }: { id: string; campaign: CampaignDetail | undefined }) {
  const title = campaign ? nameOf(campaign) : 'Campaign'
  return (
    <div className={styles.heading}>
      <h2 className={styles.title} id={id} dir="auto" tabIndex={title.length > LONG_TITLE ? 0 : undefined}>
        {title}
      </h2>
      <p className={styles.meta}>
        {campaign ? (
          <>
            Created by {creatorOf(campaign)} on <DateTime value={campaign.created_at} />
          </>
        ) : (
          // Reserves a line, to avoid a layout shift when the campaign loads.
          '\u00a0'
        )}
      </p>
    </div>
  )
}

const BLANK_COLUMNS = memberColumns({ onOpen: () => {}, onRemove: async () => {} })

/** A skeleton of the details. */
function DetailsSkeleton() {
  return (
    <div className={styles.columns}>
      <Card className={styles.blank} aria-hidden>
        <div className={Classes.SKELETON} />
      </Card>
      <TableSkeleton columns={BLANK_COLUMNS} heights={HEIGHTS} />
    </div>
  )
}

interface MembersProps {
  campaign: CampaignDetail
  query: CampaignQuery
  statistics: Statistics | null
  techniques: CampaignTechniques
  onAdd: () => void
}

function Members({ campaign, query, statistics, techniques, onAdd }: MembersProps) {
  const { iods } = campaign
  const { iods: state } = query
  const used = techniques.query.data
  const subject = { kind: 'campaigns', id: campaign.id } as const
  const comments = useComments(subject).total
  const linkedComment = useLinkedComment()
  const [text, setText] = useState('')
  const [content, setContent] = useState<ContentId>('iods')
  return (
    <div className={styles.columns}>
      <Tabs
        key={linkedComment}
        id="campaign"
        className={styles.summary}
        defaultSelectedTabId={linkedComment ? 'discussion' : 'overview'}
        renderActiveTabPanelOnly
        animate={false}
      >
        <Tab
          id="overview"
          title="Overview"
          panelClassName={styles.panel}
          panel={
            <CampaignSummary
              id={campaign.id}
              description={campaign.description}
              // The count is known even if the IODs are missing.
              total={campaign.iod_count}
              statistics={statistics}
              iods={state === 'complete' ? iods : null}
              onCategory={category => {
                setText(category)
                setContent('iods')
              }}
            />
          }
        />
        <Tab
          id="techniques"
          title="Techniques"
          tagContent={used && used.length > 0 ? formatCount(used.length) : undefined}
          panelClassName={styles.panel}
          panel={<Techniques campaignId={campaign.id} {...techniques} />}
        />
        <Tab
          id="discussion"
          title="Discussion"
          tagContent={comments ? formatCount(comments) : undefined}
          panelClassName={styles.panel}
          panel={
            <Card>
              <Discussion subject={subject} linked={linkedComment} />
            </Card>
          }
        />
        <Tab
          id="sharing"
          title="Sharing"
          panelClassName={styles.panel}
          panel={
            <SummaryBlock title="Sharing">
              <SharingBlock campaign={campaign} />
            </SummaryBlock>
          }
        />
      </Tabs>
      <CampaignContents
        {...{ campaign, query, techniques, content, text, onAdd }}
        onContent={setContent}
        onText={setText}
      />
    </div>
  )
}
