import { openPage } from './pages/open-page'
import { Popup } from './pages/Popup'

openPage(<Popup />)
