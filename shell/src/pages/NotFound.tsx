import { NotFound as Missing } from '@iodine/ui'
import { Link } from '@iodine/ui/router'

export const NotFound = () => (
  <Missing>
    <Link to="/dashboard">Go to the dashboard</Link>
  </Missing>
)
