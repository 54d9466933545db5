import { messagesOfParent, sendToParent } from '../child-messages.ts'
import { ask, type Question } from './ask.ts'

/** The program that sends one request. */
for await (const question of messagesOfParent<Question>()) sendToParent(await ask(question))
