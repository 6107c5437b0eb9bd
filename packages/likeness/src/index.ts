export { imageHash, type Pixels } from './image-hash.js'
export { likeness, rankingScores } from './likeness.js'
export { type Signature, type SignatureOptions, signatureOf } from './signature.js'
export { quotesOf } from './words.js'
