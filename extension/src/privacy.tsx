import { openPage } from './pages/open-page'
import { Privacy } from './pages/Privacy'

openPage(<Privacy />)
