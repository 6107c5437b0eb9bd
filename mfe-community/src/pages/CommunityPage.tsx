import { Page, PageHeader } from '@iodine/ui'

export function CommunityPage() {
  return (
    <Page>
      <PageHeader title="Community" />
    </Page>
  )
}
