/**
 * For `node --import`: with `TRACING_CODE=none`, replaces OpenTelemetry's API by the equivalent of a product
 * without tracing, a request id in an AsyncLocalStorage. Else it replaces nothing: module hooks alone change
 * the speed of a process by up to 10 %, so that processes to compare must all have them.
 */
import { register } from 'node:module'

const api = `
import { AsyncLocalStorage } from 'node:async_hooks'
const storage = new AsyncLocalStorage()
const nothing = () => undefined
const work = id => ({
  getValue: key => (key === 'iodine.request-id' ? id : undefined),
  setValue(key, value) { return key === 'iodine.request-id' ? work(value) : this },
})
export const ROOT_CONTEXT = work()
export const createContextKey = name => name
export const context = {
  setGlobalContextManager: nothing,
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (wanted, run) => (wanted === storage.getStore() ? run() : storage.run(wanted, run)),
}
export const trace = { getSpan: nothing, getSpanContext: nothing, getActiveSpan: nothing }
export const propagation = {}
export const SpanKind = {}
export const SpanStatusCode = {}
`
const hooks = `
export const resolve = (name, context, next) =>
  name === '@opentelemetry/api' && ${process.env.TRACING_CODE === 'none'}
    ? { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(api)}`)}, shortCircuit: true }
    : next(name, context)
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
