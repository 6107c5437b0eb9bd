import { ErrorCallout, Page } from '@iodine/ui'
import { Component, type ReactNode } from 'react'

/** Catches render errors of the shell's pages, including failed loads of chunks that a new deployment removed. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    if (!this.state.failed) return this.props.children
    return (
      <main>
        <Page narrow>
          <ErrorCallout title="This page could not be shown" onRetry={() => window.location.reload()} />
        </Page>
      </main>
    )
  }
}
