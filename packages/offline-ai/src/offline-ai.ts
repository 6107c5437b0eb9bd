import { type ChatServer, promptText, sendCompletion, sendError, startChatServer } from './chat-server.js'

/** Model name in the answers of `startOfflineAi`. */
export const RULES_MODEL = 'rule-based (compromise), no AI model'

/**
 * Starts an AI provider that needs neither network nor paid key: it accepts any key and extracts triplets by
 * part-of-speech rules. It answers only the extraction worker's prompt.
 */
export const startOfflineAi = async (): Promise<ChatServer> => {
  // Imported lazily: servers with scripted answers do not need the rules' word lists.
  const { ruleTriplets } = await import('./triplets.js')
  return startChatServer(({ key, body }, response) => {
    if (!key) return sendError(response, 401, 'invalid_api_key', 'No key was given')
    sendCompletion(response, RULES_MODEL, JSON.stringify({ triplets: ruleTriplets(promptText(body)) }))
  })
}
