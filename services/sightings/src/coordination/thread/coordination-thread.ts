import { parentPort } from 'node:worker_threads'
import { type Findings, type FindOptions, findCoordination, type Post } from './find.js'

/** Messages to the thread: batches of posts, then the options. */
export type ThreadInput = { posts: Post[] } | { find: FindOptions }
/** Messages from the thread. */
export type ThreadOutput = { progress: number } | { findings: Findings }

const port = parentPort
const posts: Post[] = []
port?.on('message', (message: ThreadInput) => {
  if ('posts' in message) {
    for (const post of message.posts) posts.push(post)
    return
  }
  const send = (output: ThreadOutput) => port.postMessage(output)
  send({ findings: findCoordination(posts, message.find, progress => send({ progress })) })
  port.close()
})
