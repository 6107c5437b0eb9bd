export {
  type ChatRequest,
  type ChatServer,
  type EmbeddingsRequest,
  promptText,
  sendCompletion,
  sendError,
  sendJson,
  startChatServer,
} from './chat-server.js'
export { RULES_MODEL, startOfflineAi } from './offline-ai.js'
