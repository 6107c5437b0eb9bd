export { Discussion, type DiscussionProps } from './Discussion'
export { useLinkedComment } from './linked-comment'
export { useComments } from './queries'
