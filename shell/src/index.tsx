import './app/trusted-types'
import '@iodine/ui/blueprint.css'
import '@iodine/ui/theme.css'
import './app/fonts.css'
import { BrowserRouter } from '@iodine/ui/router'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { fetchConfig } from './app/config'
import { HostProvider } from './app/HostProvider'
import { prefetchPage } from './app/pages'
import { remotes } from './remotes/remotes'

prefetchPage(window.location.pathname)
const config = await fetchConfig()

createRoot(document.getElementById('root') as HTMLElement).render(
  <BrowserRouter>
    <HostProvider config={config} remotes={remotes}>
      <App />
    </HostProvider>
  </BrowserRouter>,
)
