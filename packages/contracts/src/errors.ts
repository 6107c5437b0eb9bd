/** Details that a client may see, word for word; one place so that services, screens and tests agree. */
export const DETAILS = {
  badToken: 'This link is invalid or has expired',
  badExtensionCode: 'This code is invalid or has expired',
  badInviteCode: 'Invalid beta code',
  unauthenticated: 'Not authenticated',
  forbidden: "You don't have permission to do this",
  collectorScope: 'This token may only be used by the collector',
  notFound: 'Not found',
  usernameRule: 'Username must contain between 3 and 20 alphanumeric characters',
  usernameTaken: 'This username is already taken',
  duplicateIod: 'This IOD already exists',
  alreadyVoted: 'You already voted',
  missingAiKey: 'Please configure your OpenAI API key in your profile',
  rejectedAiKey: 'Your OpenAI API key was rejected by the provider',
  providerRateLimit: 'The AI provider is limiting requests for your key, please try again later',
  providerFailed: 'The AI provider failed to answer',
  providerRefused: 'The AI provider refused to analyze this text',
  stillWorking: 'Still working: the narrative will appear in your list',
  malformedJson: 'The body is not valid JSON',
  notJson: 'The body must be JSON',
  bodyTooLarge: 'The body is too large',
  uriTooLong: 'The address is too long',
  headersTooLarge: 'The headers are too large',
  badRequest: 'Bad request',
  tooManyRequests: 'Too many requests, please try again later',
  logoutUnfinished:
    'Your session has ended, but parts of the service may take it for up to ten minutes more: try again to end it at once',
  unavailable: 'This part of the service is not available right now',
  timeout: 'This took too long',
  internal: 'Something went wrong',
} as const

export type ErrorBody = { detail: string | string[] }
