// React Router's exports in use and a hook based on them, shared as one federation singleton.

export type { Location, NavigateOptions, Navigator, To } from 'react-router-dom'
export {
  BrowserRouter,
  createPath,
  Link,
  Navigate,
  NavigationType,
  NavLink,
  Route,
  Router,
  Routes,
  useLocation,
  useNavigate,
  useNavigationType,
  useParams,
  useSearchParams,
} from 'react-router-dom'
export { useSetParam } from './hooks/use-set-param'
