import { type ChatServer, promptText, sendCompletion, sendError, startChatServer } from './chat-server.js'

/** What its answers name as their model: no model at all. */
export const RULES_MODEL = 'rule-based (compromise), no AI model'

/**
 * A provider that needs no network and no paid key: any key will do, and the triplets come from part-of-speech rules.
 * It answers no other question than the one that the extraction worker asks.
 */
export const startOfflineAi = async (): Promise<ChatServer> => {
  // Loaded here only: the rules' word lists are no matter of those who script their answers.
  const { ruleTriplets } = await import('./triplets.js')
  return startChatServer(({ key, body }, response) => {
    if (!key) return sendError(response, 401, 'invalid_api_key', 'No key was given')
    sendCompletion(response, RULES_MODEL, JSON.stringify({ triplets: ruleTriplets(promptText(body)) }))
  })
}
