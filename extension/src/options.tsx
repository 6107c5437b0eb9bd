import { Options } from './pages/Options'
import { openPage } from './pages/open-page'

openPage(<Options />)
