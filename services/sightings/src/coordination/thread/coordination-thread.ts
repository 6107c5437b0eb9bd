import { parentPort } from 'node:worker_threads'
import { type Findings, type FindOptions, findCoordination, type Post } from './find.js'

/** To the thread: posts, some at a time, then what to look for. */
export type Ask = { posts: Post[] } | { find: FindOptions }
/** From the thread. */
export type Answer = { progress: number } | { findings: Findings }

const port = parentPort
const posts: Post[] = []
port?.on('message', (message: Ask) => {
  if ('posts' in message) {
    for (const post of message.posts) posts.push(post)
    return
  }
  const answer = (some: Answer) => port.postMessage(some)
  answer({ findings: findCoordination(posts, message.find, progress => answer({ progress })) })
  port.close()
})
