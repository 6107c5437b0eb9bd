import { Page, PageHeader } from '@iodine/ui'

export function GraphPage() {
  return (
    <Page>
      <PageHeader title="Narrative Triplets Graph" />
    </Page>
  )
}
