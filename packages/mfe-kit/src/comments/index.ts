export { Discussion, type DiscussionProps } from './Discussion'
export { useComments } from './queries'
