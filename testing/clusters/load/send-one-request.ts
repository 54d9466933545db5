import { messagesOfParent, sendToParent } from '../child-messages.ts'
import { type HttpRequest, sendRequest } from './http-request.ts'

/** The program that sends one request. */
for await (const httpRequest of messagesOfParent<HttpRequest>()) sendToParent(await sendRequest(httpRequest))
