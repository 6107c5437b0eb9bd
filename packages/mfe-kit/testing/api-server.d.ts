import type { Route } from '../src/index'
/** `null` in the place of an answer breaks the connection. */
export type Answer = [status: number, body?: unknown, headers?: Record<string, string>] | null
export interface Call {
  /** As the contract writes it: 'GET /campaigns/:id'. */
  route: string
  params: Record<string, string>
  search: URLSearchParams
  body: unknown
}
type Handler = (call: Call) => Answer | Promise<Answer>
/** What the API answers, by the contract's routes. */
export type Routes = {
  [R in Route]?: Answer | Handler
}
/**
 * Starts an HTTP server that answers below `prefix` as `routes` say, and stops it when the test ends. A request that no
 * route matches is answered with 501 and fails the test. `calls` holds the matched requests in their order.
 */
export declare function startApi(
  routes: Routes,
  prefix?: string,
): Promise<{
  calls: Call[]
  origin: string
}>
/** Throws where requests since the last call met no route. Runs after each test. */
export declare function failOnMisses(): void
