export { useWatchActions, useWatches, WATCHES_KEY } from './queries'
export { WatchButton, type WatchButtonProps } from './WatchButton'
