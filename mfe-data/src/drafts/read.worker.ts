import './no-eval'
import { answer, type FromReader } from './reader'

const worker = self as unknown as Pick<Worker, 'onmessage'> & { postMessage: (message: FromReader) => void }

worker.postMessage({ type: 'ready' })
worker.onmessage = ({ data }) => answer(data, message => worker.postMessage(message))
